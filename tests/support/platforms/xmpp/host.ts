import type {OutboxDetail} from "../../../../shared/api/messages.ts"
import type {SatoriEvent} from "../../../../shared/sdk/content/satori.ts"
import {posting} from "../../host/client.ts"
import {eventsOf, type HostOptions, messageAfter, sendTo, startHost, type TestHost, until} from "../../host/host.ts"
import {cardCommand} from "../../messages/card-command.ts"
import {pluginWith} from "../../plugins/plugin-sources.ts"
import {type EndpointView, untilState} from "../endpoint.ts"
import {xml} from "./person.ts"

const bot = pluginWith(
  `
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)
    ${cardCommand}
    plugin.command("answer", ({session}) => [h("quote", {id: session.event.message.id}), h("b", "yes")])
    plugin.command("who", ({session}) => (session.user.account ?? "nobody") + " as " + session.user.id)
    plugin.command("call <way:string> <method:string> <params:string>", ({args: {way, method, params}, session}) =>
      plugin[way](session.endpoint, "xmpp/" + method, JSON.parse(params)).then(JSON.stringify, error => error.code),
    )
    plugin.command("raw", () => "*a* <b/> & \\u0000\\u0001\\ufffe ]]>")`,
  `platform: true`,
)

export interface XmppHost extends TestHost {
  events(): Promise<readonly SatoriEvent[]>
  receives(what: string, fits: (event: SatoriEvent) => boolean): Promise<SatoriEvent>
  /** Sends a text; resolves once the message has its final state. */
  sends(endpoint: string, channel: string, text: string): Promise<OutboxDetail>
  /** Calls a method of the Host's Satori server, as an application does. */
  satori(user: string, method: string, body: Readonly<Record<string, unknown>>): Promise<Response>
  untilState(endpoint: string, state: string): Promise<EndpointView>
}

export const env = {BOT_PASSWORD: "bot-password", OTHER_PASSWORD: "other-password", ROOM_PASSWORD: "room-password"}

export const startXmppHost = async (
  accounts: readonly ({readonly id: string} & Readonly<Record<string, unknown>>)[],
  options: Omit<HostOptions, "config" | "plugins"> = {},
): Promise<XmppHost> => {
  const given = accounts.map(account => ({jid: "bot@localhost", password: "${BOT_PASSWORD}", tls: false, ...account}))
  const config = JSON.stringify({http: {port: 0}, plugins: {bot: {}, xmpp: {endpoints: given}}})
  const host = await startHost({...options, env: {...env, ...options.env}, config, plugins: {bot}})
  const events = () => eventsOf(host)
  return {
    ...host,
    events,
    receives: (what, fits) => until(`the inbox to have ${what}`, async () => (await events()).find(fits)),
    sends: async (...message) => messageAfter(host, await sendTo(host, ...message)),
    satori: (user, method, body) =>
      host.fetch(`/satori/v1/${method}`, posting(body, {"satori-platform": "xmpp", "satori-user-id": user})),
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
