import {createServer} from "node:http"
import {json} from "node:stream/consumers"
import {listen} from "../../support/machine/listen.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

/** A stand-in for a chat platform on loopback that lets a bot edit and delete messages. */
export interface Board {
  readonly port: number
  /** The requests in order, such as `send m1 hello`. */
  readonly asked: readonly string[]
  readonly shown: ReadonlyMap<string, string>
}

interface Asked {
  readonly act: "send" | "edit" | "delete"
  readonly id: string
  readonly text?: string
}

export const startBoard = async (): Promise<Board> => {
  const asked: string[] = []
  const shown = new Map<string, string>()
  let count = 0
  const server = createServer(async (request, response) => {
    const {act, id, text = ""} = (await json(request)) as Asked
    const key = act === "send" ? `m${++count}` : id
    asked.push(`${act} ${key}${text === "" ? "" : ` ${text}`}`)
    if (act === "delete") shown.delete(key)
    else shown.set(key, text)
    response.end(JSON.stringify({id: key}))
  })
  const port = await listen(server)
  return {port, asked, shown}
}

/** Source of the board's adapter. A route injects a message from a user. */
export const boardAdapter = pluginWith(`
    let tell = async (text: string) => {}
    plugin.adapter("board", {
      history: "none", features: ["edit", "delete"], account: Type.Object({port: Type.Integer()}),
      open: async ({port}, endpoint) => {
        const ask = async (act: string, id: string, text?: string) => {
          const answer = await fetch("http://127.0.0.1:" + port, {method: "POST", body: JSON.stringify({act, id, text})})
          return ((await answer.json()) as {id: string}).id
        }
        let count = 0
        tell = async text => {
          const id = String(++count)
          await endpoint.receive({
            id, type: "message-created", channel: {id: "hall", type: 0}, user: {id: "carol"},
            message: {id, content: text},
          })
        }
        endpoint.login({platform: "board", user: {id: "bot", is_bot: true}, status: 1})
        return {
          send: async ({content}) => ({ids: [await ask("send", "", content.join(""))]}),
          edit: async ({message, content}) => void (await ask("edit", message, content.join(""))),
          delete: async ({message}) => void (await ask("delete", message)),
        }
      },
    })
    plugin.route({method: "POST", path: "/tell", scope: "full", summary: "Tell", body: Type.Object({text: Type.String()}),
      handle: async (_, call) => {
        await tell((call.body as {text: string}).text)
        return Response.json({})
      }})`)
