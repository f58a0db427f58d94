// Ctrl-C, SIGTERM and SIGHUP, as a flag: whoever takes long asks for it, and ends what it has
// begun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gw::sim {

/// From now on they ask, instead of killing the process. A second one does not wait, unless it
/// comes with the first: `timeout` signals a process, and then its group.
void catch_interrupts();
bool interrupted();
/// What was asked to end has ended: a run that begins now goes on.
void forget_interrupt();

}  // namespace gw::sim
