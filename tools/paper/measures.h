// What makes ours: arithmetic, the reference's blocks called directly, and figures of the documents
// that gradwire's other commands make.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/papers/inceptionn.h"
#include "tools/paper/row.h"

namespace gw::paper {

Measure computed(std::function<double()> number);
Measure computed_text(std::function<std::string()> text);
/// Holds or does not, with the sentence that says why.
Measure claim(std::function<std::pair<bool, std::string>()> holds);
Measure cannot_be_asked(std::string why);

/// A number of the document that the row's command makes, at a JSON pointer, times `scale`.
Measure at(std::string pointer, double scale = 1);
/// The smallest of an object's or array's numbers.
Measure smallest_at(std::string pointer);
/// By the row's document.
Measure from(std::function<Ours(const nlohmann::json& document)> read);

// INCEPTIONN

/// Compression ratio of the reference codec on values of which each class of Table III has exactly
/// its printed share.
double ratio_by_classes(const papers::inceptionn::Table3Row& row);
/// Largest error of the reference codec by the bound 2^-k: of each value that it keeps, the one
/// whose dropped bits are all ones, and the largest that it does not keep.
double largest_error_by_bound(int k, bool paper_mode);
/// Algorithm 1 among n nodes: the block that each has complete after the first loop, "1 2 3 0".
std::string ring_owners(size_t nodes);
/// Blocks that are complete on a node when all is done, over all nodes: n * n if it works.
/// `as_printed`: the second loop takes its indices from lines 16 and 17.
size_t complete_blocks(size_t nodes, bool as_printed);
/// Share of the values below 2^-k, in percent, of `gradwire codec stats`.
double zero_share(const nlohmann::json& stats);

/// Largest multiple of T that the quantiser sends of a value far above it.
double largest_multiple();
/// Bits that `spec` counts for one value that is sent.
double bits_of_a_sent_value(std::string_view spec);
/// Share of the values that adaptive sends of uniform ones.
double adaptive_share();

/// Cycles of a PE: those of a frame through a simulated array, less those outside its PEs
/// (docs/devices/optimizer.md).
Measure pe_cycles(std::string algorithm);

/// Accuracy in percent of the codec at this place of a training document.
Measure accuracy_of(size_t codec);
/// Points that it lies over the first codec, floats; and its share of their bytes as the TGS paper
/// counts.
Measure points_over_floats(size_t codec);
Measure share_of_floats(size_t codec);
/// Claims that a codec of this method has the most accuracy by byte, as the TGS paper counts.
Measure most_accuracy_by_byte(std::string method);
/// What the preset of `train` judges of this shape.
Measure shape_of(std::string shape);

}  // namespace gw::paper
