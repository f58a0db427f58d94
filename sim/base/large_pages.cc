// SPDX-License-Identifier: Apache-2.0
#include "sim/base/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace gw::sim {

void use_large_pages() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(GW_SANITIZED)
  // Only address space: what is not used is no memory. What outgrows it has pages as ever.
  constexpr size_t kRoom = size_t{128} << 20, kPage = size_t{2} << 20;
  mallopt(M_TRIM_THRESHOLD, 2 * kRoom);
  mallopt(M_MMAP_MAX, 0);
  void* const room = std::malloc(kRoom);  // from the heap, which grows by it, and back
  mallopt(M_MMAP_MAX, 65536);             // as it was
  mallopt(M_MMAP_THRESHOLD, 32 << 20);    // of vectors, too, but not of the largest
  if (room == nullptr) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(room) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(room) + kRoom) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(room);
#endif
}

}  // namespace gw::sim
