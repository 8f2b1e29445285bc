// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// Seats are counted in one section and sold in another; the source says what has to hold.
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int free_seats = 5, sold, checked;
static int seats(void)
{
    pthread_mutex_lock(&m);
    int n = free_seats;
    pthread_mutex_unlock(&m);
    return n;
}

static void *clerk(void *arg)
{
    int want = *(int *)arg;
    int n = seats();
    if (n >= want) {
        pthread_mutex_lock(&m);
        free_seats = n - want;
        sold += want;
        HEDDLE_EXPECT(free_seats + sold == 5); //~ A
        checked++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    int want[] = {2, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, clerk, &want[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", sold, checked);
    return 0;
}
