// SPDX-License-Identifier: Apache-2.0
/* Sums of floats over all ranks, by OpenMPI: allreduce FILE, which rank 0 writes. Equal bits are equal bytes of it. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { kCount = 100003 };

static float values[kCount], sums[kCount];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *file = rank == 0 && argc > 1 ? fopen(argv[1], "wb") : NULL;
  uint32_t state = 2463534242u + (uint32_t)rank;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kCount; ++i) { /* xorshift, as floats of many sizes: their sums are rounded */
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      values[i] = (float)(int32_t)state / (float)(1u << (state & 31u));
    }
    MPI_Allreduce(values, sums, kCount, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (file != NULL) fwrite(sums, sizeof *sums, kCount, file);
  }
  const int failed = rank == 0 && (file == NULL || fclose(file) != 0);
  MPI_Finalize();
  return failed;
}
