// mmap as the FST writer of Verilator's runtime sees it (cmake/GradwireVerilate.cmake renames the
// call there).
//
// The writer maps temporary files and stores into them. On a full disk such a store is a SIGBUS,
// and so is a read behind the end of a file that could not be written whole. Here the blocks are
// reserved first; where that fails the writer gets memory that no file backs. The waveform is then
// not whole, which WaveFile finds when it closes it: an error in one sentence instead of a crash.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" void* gw_fst_mmap(void* address, size_t length, int protection, int flags, int file,
                             off_t offset) {
  struct stat status = {};
  const bool whole = fstat(file, &status) == 0 &&
                     status.st_size >= offset + static_cast<off_t>(length) &&
                     posix_fallocate(file, offset, static_cast<off_t>(length)) == 0;
  if (whole) return mmap(address, length, protection, flags, file, offset);
  void* memory = mmap(address, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return memory;
  size_t done = 0;
  while (done < length) {
    const ssize_t n = pread(file, static_cast<char*>(memory) + done, length - done,
                            offset + static_cast<off_t>(done));
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  return memory;
}
