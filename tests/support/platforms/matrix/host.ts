import type {SatoriEvent} from "../../../../shared/sdk/content/satori.ts"
import {type HostOptions, inboxOf, startHost, type TestHost, until} from "../../host/host.ts"
import {cardCommand} from "../../messages/card-command.ts"
import {pluginWith} from "../../plugins/plugin-sources.ts"
import {type EndpointView, untilState} from "../endpoint.ts"

export interface MatrixAccount {
  readonly id: string
  readonly homeserver: string
  readonly [key: string]: unknown
}

const bot = pluginWith(`
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => ["hello ", h("b", {}, args.name)])
    ${cardCommand}
    plugin.command("quote", async ({session}) => { await session.reply("as you say") })
    plugin.command("whisper", async ({session}) => {
      await session.send({endpoint: session.endpoint, user: session.user.id}, "by the way")
    })
    plugin.command("correct <id:string>", async ({args, session}) => { await session.edit({platform: args.id}, "corrected") })
    plugin.command("like", async ({session}) => { await session.react("👍") })
    plugin.command("clear <id:string>", async ({args, session}) => { await session.delete({platform: args.id}) })`)

export const startMatrixHost = (
  accounts: readonly MatrixAccount[],
  options: Omit<HostOptions, "config" | "plugins"> = {},
): Promise<TestHost> =>
  startHost({
    ...options,
    config: JSON.stringify({http: {port: 0}, plugins: {bot: {}, matrix: {endpoints: accounts}}}),
    plugins: {bot},
  })

export const untilEndpoint = (host: TestHost, id: string, state: string): Promise<EndpointView> =>
  untilState(host, `matrix~${id}`, state)

/** The events in the inbox, oldest first; optionally only those of a room. */
export const eventsOf = async (host: TestHost, room?: string): Promise<readonly SatoriEvent[]> =>
  (await inboxOf(host))
    .map(({event}) => event)
    .filter(({channel}) => room === undefined || channel?.id.split("/")[0] === room)

export const untilEvent = (host: TestHost, type: string, message: string): Promise<SatoriEvent> =>
  until(`${type} of ${message}`, async () =>
    (await eventsOf(host)).find(event => event.type === type && event.message?.id === message),
  )
