import {eventOf, messageIn, pluginWith, type TestHost} from "../../support/host/host.ts"

/** Stand-ins for platforms: buttons, buttons and forms, neither. A route returns the messages that each was sent. */
export const line = pluginWith(`
    for (const slot of ["line", "shows", "forms"]) {
      const sent: any[] = []
      const opened = Promise.withResolvers<any>()
      plugin.adapter(slot, {
        history: "inside", idempotent: true,
        features: {line: ["open"], shows: ["buttons", "open"], forms: ["buttons", "forms", "open"]}[slot],
        limits: {text: 40},
        open: async (_, endpoint) => {
          opened.resolve(endpoint)
          return {
            open: async user => ({id: "with-" + user, type: 1}),
            send: async message => {
              sent.push(message)
              return {ids: ["p" + message.id]}
            },
          }
        },
      })
      plugin.route({method: "GET", path: "/" + slot, scope: "full", summary: "Sent", handle: () => Response.json({items: sent})})
      plugin.route({
        method: "POST", path: "/" + slot, scope: "full", summary: "Receive",
        body: Type.Object({}, {additionalProperties: true}),
        handle: async (_, call) => Response.json(await (await opened.promise).receive(call.body), {status: 202}),
      })
    }`)

interface Sent {
  readonly channel: string
  readonly content: readonly (string | {readonly type: string; readonly attrs: Record<string, string>})[]
}

export const sentTo = async (host: TestHost, slot: string) =>
  (await host.plugin<{items: Sent[]}>(`/api/plugins/line/${slot}`)).items

/** Sends a message or a press on a stand-in. Resolves to the texts of the replies. */
export const tell = async (host: TestHost, slot: string, user: string, event: Readonly<Record<string, unknown>>) => {
  const id = `e${Math.random()}`
  const base = {id, type: "message-created", channel: {id: "c", type: 0}, user: {id: user}}
  const {sn} = await host.plugin<{sn: number}>(`/api/plugins/line/${slot}`, {...base, ...event})
  const {replies} = await eventOf(host, sn)
  return Promise.all(replies.map(async reply => (await messageIn(host, reply, "sent")).text))
}

/** The event field of a message with this text. */
export const saying = (content: string) => ({message: {id: `m${Math.random()}`, content}})
