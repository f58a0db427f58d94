// Names of signals out of what Verilator writes: the header of the state, and its XML.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "testbenches/library/engine_source.h"

namespace gw::testbenches::state_signals_test {
namespace {

constexpr const char* kHeader = R"(
class Vengine___024root final : public VerilatedModule {
  public:

    // DESIGN SPECIFIC STATE
    struct {
        VL_IN8(aclk,0,0);
        VL_IN8(aresetn,0,0);
        VL_IN8(bound_i,3,0);
        VL_OUTW(m_axis_tdata,255,0,8);
        CData/*5:0*/ top__DOT__used_q;
        CData/*0:0*/ __VactContinue;
        CData/*0:0*/ top__DOT__u_a__DOT____Vcellinp__u_b__valid_i;
        CData/*1:0*/ top__DOT__u_a__DOT____Vcellout__gen_lane__BRA__7__KET____DOT__u_b__tag_o;
        CData/*4:0*/ top__DOT__u_a__DOT____VdfgTmp_heee85158__0;
        IData/*31:0*/ top__DOT__unnamedblk1__DOT__i;
        IData/*31:0*/ __Vfunc_top__DOT__f__0__word;
        IData/*31:0*/ __Vdly__top__DOT__used_q;
        IData/*31:0*/ top__DOT__f__Vstatic__word;
        SData/*11:4*/ top__DOT____PVT__part;
        QData/*63:0*/ top__DOT__two___05Fwords;
        VlWide<9>/*271:0*/ top__DOT__vector;
        VlUnpacked<VlWide<9>/*262:0*/, 32> top__DOT__u_queue__DOT__even_q;
        double top__DOT__share;
    };
    VlTriggerVec<1> __VactTriggered;

    // INTERNAL VARIABLES
    Vengine__Syms* const vlSymsp;
    CData/*0:0*/ top__DOT__behind;
)";

TEST(StateSignals, HaveTheRtlsNamesAndLeaveTheSimulatorsOwnOut) {
  std::string names;
  for (const StateSignal& s : state_signals(kHeader, "top")) {
    names += s.name + ' ' + std::to_string(s.msb) + ':' + std::to_string(s.lsb) + '\n';
  }
  EXPECT_EQ(names,
            "top.bound_i 3:0\n"
            "top.m_axis_tdata 255:0\n"
            "top.used_q 5:0\n"
            "top.u_a.u_b.valid_i 0:0\n"
            "top.u_a.gen_lane[7].u_b.tag_o 1:0\n"
            "top.part 11:4\n"
            "top.two__words 63:0\n"
            "top.vector 271:0\n"
            "top.u_queue.even_q 262:0\n");
}

TEST(StateSignals, OfAHeaderWithoutAStateAreNone) {
  EXPECT_TRUE(state_signals("class V;", "top").empty());
}

constexpr const char* kXml = R"(<?xml version="1.0" ?>
<verilator_xml>
  <netlist>
    <module loc="a" name="top" origName="top" topModule="1">
      <var loc="a" name="aclk" dtype_id="1" dir="input" vartype="logic" origName="aclk"/>
      <var loc="a" name="bound_i" dtype_id="2" dir="input" vartype="logic" origName="bound_i"/>
      <var loc="a" name="Depth" dtype_id="2" vartype="int" origName="Depth" param="true"/>
      <var loc="a" name="record" dtype_id="7" vartype="" origName="record"/>
      <begin loc="a" name="gen_lane[1]">
        <var loc="a" name="value_q" dtype_id="5" vartype="logic" origName="value_q"/>
        <instance loc="a" name="u_b" defName="b__W3" origName="u_b">
          <port loc="a" name="x_i" direction="in" portIndex="1"/>
        </instance>
      </begin>
      <always loc="a">
        <begin loc="a" name="search">
          <var loc="a" name="found" dtype_id="2" vartype="logic" origName="found"/>
        </begin>
      </always>
      <var loc="a" name="behind" dtype_id="1" vartype="logic" origName="behind"/>
    </module>
    <module loc="a" name="b__W3" origName="b">
      <var loc="a" name="x_i" dtype_id="1" dir="input" vartype="logic" origName="x_i"/>
      <func loc="a" name="f" dtype_id="1">
        <var loc="a" name="word" dtype_id="2" dir="input" vartype="logic" origName="word"/>
      </func>
      <var loc="a" name="own" dtype_id="2" vartype="logic" origName="own"/>
    </module>
    <typetable loc="a">
      <basicdtype loc="a" id="1" name="logic"/>
      <basicdtype loc="a" id="2" name="logic" left="3" right="0"/>
      <unpackarraydtype loc="a" id="5" sub_dtype_id="2">
        <range loc="a">
          <const loc="a" name="32&apos;sh0" dtype_id="9"/>
          <const loc="a" name="32&apos;h1f" dtype_id="9"/>
        </range>
      </unpackarraydtype>
      <structdtype loc="a" id="7" name="record_t">
        <memberdtype loc="a" id="8" name="x" tag="x" sub_dtype_id="1"/>
        <memberdtype loc="a" id="9" name="y" tag="y" sub_dtype_id="2"/>
      </structdtype>
    </typetable>
  </netlist>
</verilator_xml>
)";

TEST(DeclaredSignals, AreThoseOfAllInstancesWithTheirBits) {
  std::string names;
  for (const DeclaredSignal& s : declared_signals(kXml, "top")) {
    names += s.name + ' ' + std::to_string(s.bits) + '\n';
  }
  EXPECT_EQ(names,
            "top.bound_i 4\n"
            "top.record 5\n"
            "top.gen_lane[1].value_q 128\n"
            "top.behind 1\n"
            "top.gen_lane[1].u_b.own 4\n");
}

TEST(DeclaredSignals, OfNoXmlAreNone) { EXPECT_TRUE(declared_signals("", "top").empty()); }

}  // namespace
}  // namespace gw::testbenches::state_signals_test
