import {eventsOf, type HostOptions, startHost, type TestHost, until} from "../../host/host.ts"
import {pluginWith} from "../../plugins/plugin-sources.ts"
import {type EndpointView, untilState} from "../endpoint.ts"
import {type Broker, passwords} from "./mosquitto.ts"

const bot = pluginWith(`
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)`)

/** An entry of `plugins.mqtt.endpoints` for the user `bot`. */
export const accountAt = ({url}: Broker, more: Readonly<Record<string, unknown>> = {}) => ({
  id: "one",
  url,
  clientId: "bot",
  username: "bot",
  password: "${MQTT_PASSWORD}",
  subscribe: [{topic: "room/in", channel: "room"}],
  publish: "{channel}/out",
  ...more,
})

type Account = ReturnType<typeof accountAt>

export const mqttConfig = (accounts: readonly Account[]): string =>
  JSON.stringify({http: {port: 0}, plugins: {bot: {}, mqtt: {endpoints: accounts}}})

export const startMqttHost = (
  accounts: readonly Account[],
  {env, ...options}: Omit<HostOptions, "config" | "plugins"> = {},
): Promise<TestHost> =>
  startHost({...options, env: {MQTT_PASSWORD: passwords.bot, ...env}, config: mqttConfig(accounts), plugins: {bot}})

export const untilMqtt = (host: TestHost, id: string, state: string): Promise<EndpointView> =>
  untilState(host, `mqtt~${id}`, state)

export const untilTexts = async (host: TestHost, texts: readonly string[], id = "one"): Promise<void> => {
  let found: readonly string[] = []
  await until(`the texts ${JSON.stringify(texts).slice(0, 200)}`, async () => {
    found = (await eventsOf(host, `mqtt~${id}`)).flatMap(({message}) =>
      message === undefined ? [] : [message.content],
    )
    return found.length === texts.length && texts.every((text, index) => text === found[index])
  }).catch(error => {
    throw new Error(`${error.message}; there are ${JSON.stringify(found).slice(0, 1000)}`)
  })
}
