import type {MqttClient, Packet} from "mqtt"

/**
 * Watches a connection, and returns whether the broker may still deliver messages that it kept: until it has answered a
 * ping while fewer messages waited for their acknowledgement than it may have open. It sends the next kept message as
 * soon as it may. MQTT does not say when a message was published.
 */
export const watchKept = (client: MqttClient, most: number): (() => boolean) => {
  let isKept = true
  let received = 0
  let acknowledged = 0
  let before = 0
  const ping = () => {
    before = acknowledged
    client.sendPing()
  }
  const onSent = ({cmd}: Packet) => {
    if (cmd === "puback" || cmd === "pubcomp") acknowledged++
  }
  const onReceived = (packet: Packet) => {
    if (packet.cmd === "publish" && packet.qos > 0) received++
    if (packet.cmd === "connack") setImmediate(ping)
    if (packet.cmd !== "pingresp") return
    if (received - before >= most) return ping()
    isKept = false
    client.off("packetsend", onSent).off("packetreceive", onReceived)
  }
  client.on("packetsend", onSent).on("packetreceive", onReceived)
  return () => isKept
}
