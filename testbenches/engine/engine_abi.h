// The one interface between the harness and compiled RTL, whoever compiled it: linked into the
// program, built on demand from a file list, the user's own, a netlist. Plain C, so that a shared
// object keeps its simulator's runtime to itself.
//
// A shared object exports `gw_engine`; what is linked into the program exports `gw_engine_NAME`.
// Beats are `gw::BasicBeat` (models/axis/beat.h) of the width that `describe` states, a control
// port's signals those of models/axis/axi_lite.h. No call throws or ends the process: what the RTL
// has to say ($fatal, $finish, GW_ASSERT) waits in `failure`.
// SPDX-License-Identifier: Apache-2.0
#ifndef GW_ENGINE_ABI_H
#define GW_ENGINE_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Raised with every change of this file; a library of another number is not used.
#define GW_ENGINE_ABI 8u
/// Input or output ports at most.
#define GW_ENGINE_PORTS 16u
/// Control ports at most.
#define GW_ENGINE_CONTROLS 4u
/// Words of 64 bits that the probe has behind its first, at most.
#define GW_ENGINE_PROBE_MORE 5u

/// What an engine shows between two clock edges; its address does not change.
struct GwOutputs {
  uint32_t s_ready;  ///< bit i: s_axis_tready of input port i
  uint32_t m_valid;  ///< bit o: m_axis_tvalid of output port o
  uint64_t probe;    ///< every other output that is compared in each cycle, packed ...
  uint64_t probe_more[GW_ENGINE_PROBE_MORE];  ///< ... and what of them lies from bit 64 up
  const void* m_beat;   ///< array of beats, one an output port; m_beat[o] counts while bit o is set
  const void* control;  ///< array of gw::AxiLiteReply, one a control port; null: there is none
  uint64_t missed;      ///< edges that came after the one at which the RTL stopped
};

/// What only the harness knows; written into the waveform beside the RTL's signals, scope
/// `harness`.
struct GwHarnessSignals {
  uint64_t cycle;                          ///< counted from the end of reset
  uint32_t source_stall, sink_stall;       ///< bit p: the environment withholds valid, ready
  uint32_t input_packet[GW_ENGINE_PORTS];  ///< number of the packet at each port, from 0
  uint32_t output_packet[GW_ENGINE_PORTS];
  uint32_t model_s_ready;                   ///< bit i: s_axis_tready of the engine beside the RTL
  const void* model_beat[GW_ENGINE_PORTS];  ///< what it offers at output port o; null: nothing
};

/// Something that can happen in the RTL, and how often it did.
struct GwCoverPoint {
  const char* kind;   ///< line, branch, toggle or user, as the simulator calls it
  const char* scope;  ///< the instance
  const char* file;
  uint32_t line, column;
  const char* text;  ///< what distinguishes it: else, a bit, the name of a cover
  uint64_t count;
};

/// What is known of a signal's bits.
enum {
  GW_TOGGLE_COUNTED = 0,
  GW_TOGGLE_MEMORY = 1,  ///< too many elements: not counted
  GW_TOGGLE_ABSENT = 2   ///< declared, but not in the simulator's state: removed, or another's name
};

/// A signal of the RTL, and which of its bits rose and fell since reset.
struct GwToggle {
  const char* name;      ///< with its scopes, points between them
  uint32_t lsb, bits;    ///< of an element
  uint32_t elements;     ///< 1, but for memories
  uint32_t seen;         ///< GW_TOGGLE_...
  const uint64_t* rose;  ///< bit i of word i / 64; null: not counted
  const uint64_t* fell;
};

/// A variable of the RTL: registers, memories, and the nets that the simulator kept.
struct GwVariable {
  const char* name;   ///< with its scopes, points between them
  uint32_t bits;      ///< of an element
  uint32_t elements;  ///< 1, or those of a memory, one behind the other
  uint32_t stride;    ///< bytes from one to the next: 1, 2, 4, 8, or words of 4, lowest first
  void* data;
};

/// Where files are that RTL opens to read ($readmemh, $fopen).
struct GwFiles {
  /// The path of a file that the RTL calls `name`; null: there is none. Until the next call.
  const char* (*find)(void* self, const char* name);
  void* self;
};

struct GwEngine {
  uint32_t abi;  ///< GW_ENGINE_ABI
  /// JSON: top, beat_bits, ports [{name, direction, bits}], parameters, traced, built_with,
  /// assertions, start_values ("0", "seed and name", or "simulator": drawn one after another);
  /// controls [{name, address_bits}], open [name of an output that nothing reads], coverage and
  /// state if there are any.
  const char* (*describe)(void);

  /// An instance in reset's first moment; undefined values follow from the seed. `files` lives as
  /// long; null: names are paths. Null: no memory.
  void* (*make)(uint64_t seed, const struct GwFiles* files);
  void (*drop)(void* engine);
  const struct GwOutputs* (*outputs)(void* engine);

  /// Input pins by name (`bound_i`); -1: there is none. Words of 32 bits of one wider than 64 have
  /// names, too, from the second on: `forget_key_i@32`.
  int (*pin)(void* engine, const char* name);
  void (*set)(void* engine, int pin, uint64_t value);

  /// What the master of a control port drives from the next edge on, a gw::AxiLiteRequest; nothing
  /// is valid before the first call. A call of its own, made in cycles in which that changes: an
  /// edge costs the same with a port that is silent, or without one.
  void (*drive)(void* engine, uint32_t control, const void* request);

  /// How long a cycle is, for $time. Call before the first edge; else it is 10 ns.
  void (*period)(void* engine, uint64_t period_ps);
  /// One rising edge with aresetn = 0. $time begins with the first of several.
  void (*reset)(void* engine);
  /// Drives the inputs that the next `clock` is given and evaluates them with the clock low: then
  /// outputs are those of this cycle, even if they depend on its inputs. Needless before `clock`
  /// where all outputs are registers.
  void (*settle)(void* engine, const void* const* offered, uint32_t m_ready);
  /// One rising edge. offered[i]: beat at input port i, null: tvalid = 0. m_ready: bit o.
  void (*clock)(void* engine, const void* const* offered, uint32_t m_ready);
  /// One rising edge with a host write and nothing offered.
  void (*write)(void* engine, uint32_t address, uint32_t data);
  /// Counters (stat_o), 32 bits each.
  const uint32_t* (*statistics)(void* engine, uint32_t* words);

  /// Writes a waveform of cycles from..to (counted as in GwHarnessSignals; what lies before cycle 0
  /// is shown with cycle 0 when from <= 0). Call before the first edge. 0, or an errno.
  int (*trace)(void* engine, const char* path, int64_t from, int64_t to, uint64_t period_ps);
  /// The harness's signals of the cycle that the next edge ends; null: that edge is not to be
  /// shown, and its cycle takes no time.
  void (*harness)(void* engine, const struct GwHarnessSignals* signals);
  /// Time goes on by so many cycles in which nothing changes.
  void (*skip)(void* engine, uint64_t cycles);
  /// Closes the waveform. Null, or why the file is not whole.
  const char* (*finish)(void* engine);

  /// All points in an order of the build's own, so that runs are merged by adding counts; until the
  /// next call. Null and 0: built without coverage.
  const struct GwCoverPoint* (*coverage)(void* engine, uint32_t* points);
  /// All signals with what their bits did; until the next call. Null and 0: built without.
  const struct GwToggle* (*toggles)(void* engine, uint32_t* signals);
  /// All variables, by name; addresses are the instance's and stay. What is written there counts
  /// from the next edge on. Null and 0: built without.
  const struct GwVariable* (*state)(void* engine, uint32_t* variables);

  /// Null, or the text of the $fatal, $finish or GW_ASSERT that stopped the RTL.
  const char* (*failure)(void* engine);
};

#ifdef __cplusplus
}
#endif

#endif
