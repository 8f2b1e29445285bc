/* SPDX-License-Identifier: Apache-2.0
 *
 * A producer and a consumer of librdkafka, with the threads that it starts, against the broker
 * of its own mock cluster in the same process: what was produced is delivered and comes back
 * in order. */
#include <rdkafka.h>
#include <rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 3 };

static int delivered;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *unused)
{
    (void)rk, (void)unused;
    must(message->err == RD_KAFKA_RESP_ERR_NO_ERROR, "delivery");
    delivered++;
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char text[200];
    must(rd_kafka_conf_set(conf, name, value, text, sizeof text) == RD_KAFKA_CONF_OK, name);
}

static rd_kafka_t *client(rd_kafka_type_t type, const char *servers)
{
    char text[200];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (servers)
        set(conf, "bootstrap.servers", servers);
    else
        set(conf, "test.mock.num.brokers", "1");
    if (type == RD_KAFKA_CONSUMER) {
        set(conf, "group.id", "driver");
        set(conf, "auto.offset.reset", "earliest");
        set(conf, "enable.auto.commit", "false");
    } else {
        rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    }
    rd_kafka_t *rk = rd_kafka_new(type, conf, text, sizeof text);
    must(rk != NULL, "client");
    return rk;
}

static void produce(rd_kafka_t *producer)
{
    for (int i = 0; i < MESSAGES; i++)
        must(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC("here"), RD_KAFKA_V_PARTITION(0),
                               RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                               RD_KAFKA_V_VALUE(&i, sizeof i),
                               RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR_NO_ERROR,
             "produce");
    while (delivered < MESSAGES)
        rd_kafka_poll(producer, 100);
}

static void consume(rd_kafka_t *consumer)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "here", 0)->offset = 0;
    must(rd_kafka_assign(consumer, list) == RD_KAFKA_RESP_ERR_NO_ERROR, "assign");
    rd_kafka_topic_partition_list_destroy(list);
    for (int got = 0; got < MESSAGES;) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 100);
        if (!message)
            continue;
        must(message->err == RD_KAFKA_RESP_ERR_NO_ERROR && message->len == sizeof got &&
                 memcmp(message->payload, &got, sizeof got) == 0,
             "another message");
        got++;
        rd_kafka_message_destroy(message);
    }
}

int main(void)
{
    rd_kafka_t *producer = client(RD_KAFKA_PRODUCER, NULL);
    const char *servers;
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    must(cluster != NULL, "cluster");
    servers = rd_kafka_mock_cluster_bootstraps(cluster);
    must(rd_kafka_mock_topic_create(cluster, "here", 1, 1) == RD_KAFKA_RESP_ERR_NO_ERROR,
         "topic");
    produce(producer);
    rd_kafka_t *consumer = client(RD_KAFKA_CONSUMER, servers);
    consume(consumer);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_destroy(producer);
    puts("good");
    return 0;
}
