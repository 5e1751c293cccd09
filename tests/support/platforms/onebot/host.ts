import {type EndpointView, type HostOptions, startHost, type TestHost, until, untilState} from "../../host/host.ts"
import type {OneBotFake, Sent} from "./onebot.ts"

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

export const untilAnswered = (fake: OneBotFake, count: number): Promise<readonly Sent[]> =>
  until(`${count} answers`, () => fake.sent().length >= count && fake.sent())

export const untilOneBot = (host: TestHost, id: string, state: string): Promise<EndpointView> =>
  untilState(host, `onebot~${id}`, state)
