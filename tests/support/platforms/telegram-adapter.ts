import {channelType, definePlugin, refused, renderContent, retryAfter, Type, textOf} from "svc-runtime"

interface Update {
  readonly update_id: number
  readonly message: {
    readonly message_id: number
    readonly date: number
    readonly chat: {readonly id: number}
    readonly from: {readonly id: number}
    readonly text: string
  }
}

interface Answer<T> {
  readonly ok: boolean
  readonly result: T
  readonly error_code?: number
  readonly description?: string
  readonly parameters?: {readonly retry_after?: number}
}

/**
 * As much of an adapter for the Bot API as the comparison with other frameworks needs: text in direct chats, sends and edits.
 * It is of the tests, and no adapter of svc.
 */
export default definePlugin({
  setup(plugin) {
    plugin.adapter("telegram", {
      account: Type.Object({api: Type.String()}),
      history: "replay",
      features: ["edit"],
      limits: {text: 4096},
      open: async ({api}, endpoint) => {
        const call = async <T>(method: string, fields: object, signal?: AbortSignal): Promise<T> => {
          const request = {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(fields)}
          const response = await fetch(`${api}/bot999:token/${method}`, {...request, ...(signal && {signal})})
          const answer = (await response.json()) as Answer<T>
          if (answer.ok) return answer.result
          const {error_code: code = 0, description = "", parameters: {retry_after: wait = 1} = {}} = answer
          if (code === 429) throw retryAfter(wait * 1000)
          const why = {reason: code === 409 ? "conflict" : "request", remediation: "Correct the request."}
          throw code < 500 ? refused(description, why) : new Error(description)
        }
        const me = await call<{id: number}>("getMe", {}, endpoint.signal)
        endpoint.login({platform: "telegram", user: {id: String(me.id), is_bot: true}, status: 1})
        const poll = async (): Promise<void> => {
          for (let offset = Number(endpoint.cursor ?? 0); !endpoint.signal.aborted; ) {
            for (const {update_id, message} of await call<Update[]>(
              "getUpdates",
              {offset, timeout: 2},
              endpoint.signal,
            )) {
              offset = update_id + 1
              const event = {
                id: String(update_id),
                type: "message-created",
                timestamp: message.date * 1000,
                channel: {id: String(message.chat.id), type: channelType.direct},
                user: {id: String(message.from.id)},
                message: {id: String(message.message_id), content: renderContent(message.text)},
              }
              await endpoint.receive(event, {cursor: String(offset)})
            }
          }
        }
        poll().catch(error => endpoint.lost(error))
        return {
          send: async ({channel, content}) => {
            const sent = await call<{message_id: number}>("sendMessage", {chat_id: channel, text: textOf(content)})
            return {ids: [String(sent.message_id)]}
          },
          edit: async ({channel, message, content}) => {
            await call("editMessageText", {chat_id: channel, message_id: message, text: textOf(content)})
          },
        }
      },
    })
  },
})
