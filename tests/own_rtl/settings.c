#include "settings.h"

int plus(int value) { return value + PLUS; }
