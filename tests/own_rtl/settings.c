// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

int plus(int value) { return value + PLUS; }
