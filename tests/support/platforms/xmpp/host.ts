import {type HostOptions, startHost, type TestHost, until} from "../../host/host.ts"
import {type EndpointView, untilState} from "../endpoint.ts"
import {xml} from "./person.ts"

/** The source of the bot for the tests. */
const bot = `
import {definePlugin, h} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)
    plugin.command("answer", ({session}) => [h("quote", {id: session.event.message.id}), h("b", "yes")])
    plugin.command("who", ({session}) => (session.user.account ?? "nobody") + " as " + session.user.id)
    plugin.command("raw", () => "*a* <b/> & \\u0000\\u0001\\ufffe ]]>")
  },
})
`

export interface Event {
  readonly type: string
  readonly endpoint: string
  readonly channel?: {readonly id: string; readonly type: number}
  readonly guild?: {readonly id: string}
  readonly user?: {readonly id: string; readonly account?: string}
  readonly message?: {readonly id: string; readonly content: string}
  readonly emoji?: {readonly id: string}
}

export interface XmppHost extends TestHost {
  /** All events in the inbox, oldest first. */
  events(): Promise<readonly Event[]>
  /** Waits for a matching event. */
  receives(what: string, fits: (event: Event) => boolean): Promise<Event>
  /** Sends a text; resolves once the message has its final state. */
  sends(
    endpoint: string,
    channel: string,
    text: string,
  ): Promise<{readonly id: string; readonly state: string; readonly error?: string}>
  /** Calls a method of the Host's Satori server, as an application does. */
  satori(user: string, method: string, body: Readonly<Record<string, unknown>>): Promise<Response>
  untilState(endpoint: string, state: string): Promise<EndpointView>
}

export const env = {BOT_PASSWORD: "bot-password", OTHER_PASSWORD: "other-password", ROOM_PASSWORD: "room-password"}

/** A Host with the bot and these accounts. */
export const startXmppHost = async (
  accounts: readonly ({readonly id: string} & Readonly<Record<string, unknown>>)[],
  options: Omit<HostOptions, "config" | "plugins"> = {},
): Promise<XmppHost> => {
  const given = accounts.map(account => ({jid: "bot@localhost", password: "${BOT_PASSWORD}", tls: false, ...account}))
  const config = JSON.stringify({http: {port: 0}, plugins: {bot: {}, xmpp: {endpoints: given}}})
  const host = await startHost({...options, env: {...env, ...options.env}, config, plugins: {bot}})
  const events = async () => {
    const {items} = await host.get<{items: readonly {endpoint: string; event: Event}[]}>("/api/inbox?limit=200")
    return items.map(({endpoint, event}) => ({...event, endpoint})).reverse()
  }
  return {
    ...host,
    events,
    receives: (what, fits) => until(`the inbox to have ${what}`, async () => (await events()).find(fits)),
    sends: async (endpoint, channel, text) => {
      const {id} = await host.post<{id: string}>("/api/outbox", {endpoint, channel, text})
      return until("the message to be settled", async () => {
        const row = await host.get<{id: string; state: string; error?: string}>(`/api/outbox/${id}`)
        return ["sent", "failed", "dead", "unknown"].includes(row.state) && row
      })
    },
    satori: (user, method, body) =>
      host.fetch(`/satori/v1/${method}`, {
        method: "POST",
        headers: {"content-type": "application/json", "satori-platform": "xmpp", "satori-user-id": user},
        body: JSON.stringify(body),
      }),
    untilState: (endpoint, state) => untilState(host, endpoint, state),
  }
}

/** Elements of messages, as clients write them. */
export const said = {
  correction: (id: string) => xml("replace", {xmlns: "urn:xmpp:message-correct:0", id}),
  retraction: (id: string) => xml("retract", {xmlns: "urn:xmpp:message-retract:1", id}),
  reactions: (id: string, ...emojis: string[]) =>
    xml("reactions", {xmlns: "urn:xmpp:reactions:0", id}, ...emojis.map(emoji => xml("reaction", {}, emoji))),
  store: xml("store", {xmlns: "urn:xmpp:hints"}),
}
