import {pluginWith} from "./plugin-sources.ts"

/** The source of a stand-in for a platform with webhooks: slot `hook`, which reports what reached its adapter. */
export const hookPlugin = pluginWith(`
    plugin.adapter("deaf", {history: "none", open: async () => ({send: async message => ({ids: [message.id]})})})
    plugin.adapter("hook", {
      history: "replay", account: Type.Object({mode: Type.Optional(Type.String())}),
      open: async ({mode}: any, endpoint) => {
        if (mode === "connecting") await new Promise(() => {})
        if (mode === "failed") throw refused("no", {reason: "credentials", remediation: "none"})
        return {
          send: async (message: any) => ({ids: [message.id]}),
          receive: (id: string) => endpoint.receive({id, type: "internal", timestamp: Date.now(), raw: {type: "hook", data: null}}),
        }
      },
      webhook: async (request, {receive}) => {
        const url = new URL(request.url)
        if (url.searchParams.has("throw")) throw new Error("hunter22 in a message")
        if (url.searchParams.has("nothing")) return undefined as any
        const bytes = Buffer.from(await request.arrayBuffer())
        const id = url.searchParams.get("id")
        if (id !== null) await receive(id)
        return Response.json({
          method: request.method,
          query: url.search,
          body: bytes.toString("base64"),
          authorization: request.headers.get("authorization"),
          encoding: request.headers.get("content-encoding"),
        }, {status: 201, headers: {"x-platform": "yes"}})
      },
    })`)
