// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html.h"

#include <fmt/format.h>

#include "sim/report/figures.h"
#include "sim/report/gnuplot.h"
#include "sim/report/view.h"

namespace gw::sim {
namespace {

using namespace report;

constexpr const char* kStyle = R"css(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1240px;margin:0 auto;padding:28px 24px 40px}
header{display:flex;flex-wrap:wrap;gap:10px 20px;align-items:center;margin-bottom:22px}
h1{font-size:27px;line-height:1.2;margin:0;letter-spacing:-.01em}
h1 small{display:block;font-size:13px;font-weight:400;color:var(--muted);letter-spacing:0;margin-bottom:2px}
h2{font-size:16px;margin:0 0 10px}
h3{font-size:13px;margin:18px 0 6px;color:var(--muted);font-weight:600}
.verdict{font-size:22px;font-weight:750;letter-spacing:.06em;padding:7px 20px;border-radius:10px;color:var(--on);background:var(--tone)}
.summary{flex:1 1 320px;color:var(--muted)}
.good{--tone:var(--good)}.warn{--tone:var(--warn)}.bad{--tone:var(--bad)}
.good .v,td.good,.good .n,.warn .v,td.warn,.bad .v,td.bad{color:var(--tone)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:14px;margin-bottom:18px}
.box{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;min-width:0}
.cards .box{padding:14px}
.cards .l{font-size:12.5px;color:var(--muted)}
.cards .v{font-size:25px;font-weight:680;line-height:1.25;letter-spacing:-.015em}
.cards .v span{font-size:13.5px;white-space:nowrap;font-weight:500;color:var(--muted);letter-spacing:0}
.cards .n{font-size:12.5px;line-height:1.4;color:var(--muted);margin-top:3px;overflow-wrap:anywhere}
.grid{align-items:start;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:18px;margin-bottom:18px}
.wide{grid-column:1/-1}
figure{margin:0}
figure h2{margin-bottom:2px}
figcaption{font-size:12.5px;line-height:1.45;color:var(--muted);margin-bottom:8px}
figure svg{display:block;width:100%;height:auto;color:var(--ink)}
figure svg text,figure svg tspan{font-family:inherit}
details{font-size:13px;margin-top:6px}
summary{cursor:pointer;color:var(--muted);width:max-content}
.scroll{overflow-x:auto;max-height:340px;overflow-y:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th{font-weight:600;color:var(--muted);text-align:right;font-size:12.5px}
th,td{padding:5px 0 5px 16px;border-bottom:1px solid var(--line);text-align:right;vertical-align:baseline}
tr:last-child td{border-bottom:0}
th:first-child,td:first-child{text-align:left;padding-left:0}
tr.ours td{font-weight:650}
.rows td{text-align:left}
.rows td:first-child{color:var(--muted);white-space:nowrap;width:1%}
.rows td:nth-child(2){overflow-wrap:anywhere;min-width:8em}
.rows td:nth-child(3){color:var(--muted);font-size:12.5px}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:3px;margin-right:.55em;background:var(--c)}
.meter{height:7px;border-radius:4px;background:var(--line);min-width:60px;overflow:hidden}
.meter i{display:block;height:100%;background:var(--c)}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace}
pre.lines{white-space:pre;overflow-x:auto}
pre.command{background:var(--page);border:1px solid var(--line);border-radius:8px;padding:10px 12px;user-select:all}
.failure{border-color:var(--bad);border-left-width:5px;margin-bottom:18px}
.failure h2{color:var(--bad)}
p.bucket{margin:0 0 8px;font-size:13px;color:var(--muted)}
.note{border-left:4px solid var(--warn);margin-bottom:18px;padding:10px 16px;font-size:13.5px}
footer{margin-top:20px;font-size:12.5px;color:var(--muted)}
@media print{body{background:#fff}.box{break-inside:avoid}details{display:none}}
)css";

}  // namespace

std::string report::page_style() {
  std::string light;
  std::string dark;
  for (const Colour& c : palette()) {
    light += fmt::format("--{}:{};", c.name, c.light);
    dark += fmt::format("--{}:{};", c.name, c.dark);
  }
  return fmt::format(
      ":root{{color-scheme:light dark;--page:#f4f6f9;--card:#ffffff;--on:#ffffff;{}}}\n"
      "@media screen and "
      "(prefers-color-scheme:dark){{:root{{--page:#12161c;--card:#1a2029;--on:#10141a;{}}}}}{}",
      light, dark, kStyle);
}

namespace {

const char* tone(Status s) {
  return s == Status::kGood ? "good" : s == Status::kWarn ? "warn" : s == Status::kBad ? "bad" : "";
}

std::string html_table(const Table& t) {
  std::string out = t.title.empty() ? "" : fmt::format("<h3>{}</h3>\n", escaped(t.title));
  out += "<div class=\"scroll\"><table><thead><tr>";
  for (const std::string& c : t.columns)
    out += fmt::format("<th scope=\"col\">{}</th>", escaped(c));
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < t.cells.size(); ++i) {
    out += static_cast<int>(i) == t.highlight ? "<tr class=\"ours\">" : "<tr>";
    for (const std::string& c : t.cells[i]) out += fmt::format("<td>{}</td>", escaped(c));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string tag_table(const Section& s) {
  bool paper = false;
  for (const TagShare& t : s.tags) paper = paper || t.paper;
  std::string out =
      "<h3>Classes</h3>\n<div class=\"scroll\"><table><thead><tr><th scope=\"col\">class</th><th "
      "scope=\"col\">bits</th>"
      "<th scope=\"col\">values</th><th scope=\"col\">share</th><th></th>";
  if (paper)
    out += fmt::format("<th scope=\"col\">paper {}</th>",
                       escaped(s.tags_paper.empty() ? "Table III" : s.tags_paper));
  out += "</tr></thead><tbody>\n";
  for (const TagShare& t : s.tags) {
    std::string lower = t.name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out += fmt::format(
        "<tr style=\"--c:var(--{})\"><td><i "
        "class=\"dot\"></i>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td><div class=\"meter\"><i style=\"width:{:.2f}%\"></i></div></td>",
        lower, t.name, t.bits, grouped(t.count), share(t.percent), t.percent);
    if (paper) out += fmt::format("<td>{}</td>", t.paper ? fixed(*t.paper, 1) + " %" : "");
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string section(const Section& s) {
  std::string out =
      fmt::format("<section class=\"box{}\"><h2>{}</h2>\n",
                  s.tags.empty() && s.tables.empty() ? "" : " wide", escaped(s.title));
  if (!s.rows.empty()) {
    out += "<table class=\"rows\"><tbody>\n";
    for (const Row& row : s.rows)
      out += fmt::format("<tr><td>{}</td><td class=\"{}\"{}>{}</td>{}</tr>\n", escaped(row.label),
                         tone(row.status), row.note.empty() ? " colspan=\"2\"" : "",
                         escaped(row.value),
                         row.note.empty() ? "" : "<td>" + escaped(row.note) + "</td>");
    out += "</tbody></table>\n";
  }
  if (!s.tags.empty()) out += tag_table(s);
  for (const Table& t : s.tables) out += html_table(t);
  return out + "</section>\n";
}

}  // namespace

std::string render_html(const nlohmann::json& doc, Present present) {
  const View view = make_view(doc, present);
  const std::vector<Figure> figures = make_figures(doc, view);
  std::vector<Plot> plots;
  for (const Figure& f : figures) plots.push_back(f.plot);
  const Drawn drawn = draw(plots);

  const std::string name = view.device.empty() ? "gradwire" : view.device;
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out +=
      fmt::format("<title>{}: {} - gradwire</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                  escaped(name), escaped(view.verdict), page_style());
  out += fmt::format(
      "<header class=\"{}\"><h1><small>gradwire co-simulation</small>{}</h1><div "
      "class=\"verdict\">{}</div>"
      "<div class=\"summary\">{}</div></header>\n",
      tone(view.status), escaped(name), escaped(view.verdict), escaped(view.summary));

  if (view.failure) {
    out += fmt::format(
        "<section class=\"box failure\"><h2>{}</h2>\n",
        escaped(view.failure->headline.empty() ? "First divergence"
                                               : "First divergence: " + view.failure->headline));
    if (!view.failure->bucket.empty())
      out += fmt::format("<p class=\"bucket\">bucket: {}</p>\n", escaped(view.failure->bucket));
    if (!view.failure->lines.empty()) {
      out += "<pre class=\"lines\">";
      for (const std::string& line : view.failure->lines) out += escaped(line) + "\n";
      out += "</pre>\n";
    }
    if (!view.failure->reproduce.empty())
      out += fmt::format(
          "<h3>Reproduce it, with a waveform around that cycle</h3>\n<pre "
          "class=\"command\">{}</pre>\n",
          escaped(view.failure->reproduce));
    out += "</section>\n";
  }

  if (!view.cards.empty()) {
    out += "<div class=\"cards\">\n";
    for (const Card& c : view.cards)
      out += fmt::format(
          "<div class=\"box {}\"><div class=\"l\">{}</div><div class=\"v\">{}{}</div><div "
          "class=\"n\">{}</div></div>\n",
          tone(c.status), escaped(c.label), escaped(c.value),
          c.unit.empty() ? ""
                         : (c.unit == "x" ? "<span>" : " <span>") + escaped(c.unit) + "</span>",
          escaped(c.note));
    out += "</div>\n";
  }

  if (!drawn.missing.empty()) {
    out += fmt::format("<p class=\"box note\">{}</p>\n", escaped(drawn.missing));
  }
  if (!figures.empty()) {
    out += "<div class=\"grid\">\n";
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Figure& f = figures[i];
      out += fmt::format("<figure class=\"box\"><h2>{}</h2><figcaption>{}</figcaption>\n",
                         escaped(f.title), escaped(f.caption));
      out += drawn.svg[i].empty() ? html_table(f.data)
                                  : drawn.svg[i] + "\n<details><summary>as a table</summary>" +
                                        html_table(f.data) + "</details>\n";
      out += "</figure>\n";
    }
    out += "</div>\n";
  }

  if (!view.sections.empty()) {
    out += "<div class=\"grid\">\n";
    for (const Section& s : view.sections) out += section(s);
    out += "</div>\n";
  }
  if (!view.command.empty())
    out += fmt::format(
        "<section class=\"box\"><h2>The command of this run</h2><pre "
        "class=\"command\">{}</pre></section>\n",
        escaped(view.command));
  out += fmt::format("<footer>gradwire {}</footer>\n</main>\n</body>\n</html>\n",
                     escaped(view.version));
  return out;
}

}  // namespace gw::sim
