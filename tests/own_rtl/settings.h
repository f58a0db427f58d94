#define PLUS 1
