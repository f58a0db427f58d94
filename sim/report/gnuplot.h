// Draws with gnuplot: scripts in, SVG texts out. One process draws all figures.
//
// gnuplot is started directly (no shell), without the user's start-up files, in a process group of
// its own, so that the Ctrl-C which ends a run early does not also end the drawing of its report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace gw::sim::report {

/// A colour that gnuplot draws with and CSS replaces: gnuplot gets the light one; in the page it
/// becomes var(--name).
struct Colour {
  const char* name;
  const char* light;
  const char* dark;
};
const std::vector<Colour>& palette();
/// The light colour of a name, quoted for a gnuplot script. The name must exist.
std::string rgb(const char* name);

struct Plot {
  std::string title;   // for readers who cannot see the picture
  std::string script;  // after `set terminal` and `set output`
  int width = 640;
  int height = 340;
};

struct Drawn {
  std::vector<std::string> svg;  // as many as plots; empty where one could not be drawn
  std::string missing;           // a sentence if any is empty
};

Drawn draw(const std::vector<Plot>& plots);

/// A string as a gnuplot literal, in which nothing is expanded.
std::string quoted(const std::string& s);

/// Makes a gnuplot SVG fit for inlining: no prolog, identifiers that no other figure has, palette
/// colours as CSS variables. Empty if it is no whole SVG.
std::string inline_svg(const std::string& svg, const std::string& prefix, const std::string& title);

/// An inlined figure as a file of its own: light colours on white, whatever shows it.
std::string standalone_svg(const std::string& inlined);

/// For text and attributes of HTML.
std::string escaped(const std::string& s);

}  // namespace gw::sim::report
