import {randomUUID} from "node:crypto"
import {channelType, definePlugin, type Endpoint, renderContent, textOf} from "svc-runtime"

/** A platform without buttons, menus and edits: people say lines in one room, and the bot answers with lines. */
export const startPlain = () => {
  const answers: string[] = []
  let here: Pick<Endpoint, "receive"> | undefined
  const plain = definePlugin({
    setup: plugin =>
      plugin.adapter("plain", {
        history: "none",
        open: async (_, endpoint) => {
          here = endpoint
          endpoint.login({platform: "plain", user: {id: "bot", name: "bot", is_bot: true}, status: 1})
          return {
            send: async ({id, content}) => {
              answers.push(textOf(content))
              return {ids: [id]}
            },
          }
        },
      }),
  })
  const say = async (user: string, text: string) => {
    const id = randomUUID()
    const channel = {id: "room", type: channelType.text}
    const message = {id, content: renderContent(text)}
    await here?.receive({id, type: "message-created", channel, user: {id: user}, message})
  }
  return {plain, answers, say}
}
