import type {AdapterUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {accountAt} from "../platforms/mqtt/host.ts"
import {passwords, startBroker} from "../platforms/mqtt/mosquitto.ts"
import {joinBroker} from "../platforms/mqtt/person.ts"

/** The built-in adapter `mqtt` at a real mosquitto. Messages have ids, so that repetitions are recognized. */
export const mqtt: AdapterUnderTest = {
  use: "mqtt",
  name: "mqtt",
  env: {MQTT_PASSWORD: passwords.bot, WRONG_PASSWORD: "a-wrong-password"},
  platform: async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker, ["room/out"])
    const account = accountAt(broker, {payload: {format: "json"}})
    let number = 0
    let last = ""
    return {
      account,
      refused: {...account, password: "${WRONG_PASSWORD}"},
      hostile: ({port, isSecure}) => ({
        account: {...account, url: `${isSecure ? "mqtts" : "mqtt"}://127.0.0.1:${port}`},
      }),
      channel: "room",
      say: text => {
        last = JSON.stringify({text, user: "ann", id: ++number})
        return ann.say("room/in", last)
      },
      repeat: () => ann.say("room/in", last),
      heard: () => ann.heard.map(({payload, at}) => ({text: JSON.parse(payload.toString()).text, at})),
      cut: async () => {
        await broker.stop()
        await broker.start()
      },
      connections: () => broker.connections("bot"),
    }
  },
}
