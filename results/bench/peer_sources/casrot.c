#include "shared.h"

static atomic_int x;

static void *thread(void *argument)
{
    exchanged(&x, ARGUMENT, ARGUMENT + 1);
    return 0;
}

int main(void)
{
    run(thread, N);
    return 0;
}
