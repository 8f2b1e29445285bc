// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// frexp stores the exponent into a variable of its caller.
//~ libs: -lm
#include <math.h>
#include <pthread.h>

static void *scale(void *arg)
{
    double *value = arg;
    int exponent;
    *value = frexp(*value, &exponent);    //~ here
    *value = ldexp(*value, exponent + 1); //~ here
    return NULL;
}

int main(void)
{
    double one = 1.5, many = 1e9;
    pthread_t a, b;
    pthread_create(&a, NULL, scale, &one);
    pthread_create(&b, NULL, scale, &many);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
