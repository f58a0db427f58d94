// SPDX-License-Identifier: Apache-2.0
#define PLUS 1
