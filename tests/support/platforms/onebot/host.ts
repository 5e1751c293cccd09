import {type HostOptions, startHost, type TestHost} from "../../host/host.ts"
import {until} from "../../host/process.ts"

/** A Host with a bot of this source and these entries of `plugins.onebot.endpoints`. */
export const startOneBotHost = (
  bot: string,
  endpoints: readonly object[],
  options: Omit<HostOptions, "config" | "plugins">,
): Promise<TestHost> =>
  startHost({
    ...options,
    plugins: {bot},
    config: JSON.stringify({http: {port: 0}, plugins: {bot: {}, onebot: {endpoints}}}),
  })

interface EndpointState {
  readonly name: string
  readonly state: string
  readonly error?: string
  readonly remediation?: string
}

export const untilOneBot = (host: TestHost, id: string, state: string): Promise<EndpointState> =>
  until(`onebot~${id} to be ${state}`, async () => {
    const {items} = await host.get<{items: readonly EndpointState[]}>("/api/endpoints")
    return items.find(each => each.name === `onebot~${id}` && each.state === state)
  })
