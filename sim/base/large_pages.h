// The heap in large pages, where the system has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gw::sim {

/// Packets that lie in memory in order are gone through so fast that finding their pages, of 4 KiB
/// each and through two tables in a virtual machine, is felt: most of all in a benchmark, which
/// has prepared all packets; those of a run are few, and used again. To be called before anything
/// is large. Where the system or its C library has no such pages, nothing happens.
void use_large_pages();

}  // namespace gw::sim
