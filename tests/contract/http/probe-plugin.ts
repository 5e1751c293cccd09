/** Source of a plugin whose routes show how requests, streams and aborts reach a handler. */
export const probePlugin = `
import {definePlugin, Problem, Secret, Type} from "svc-runtime"

const seen = {aborted: 0, cancelled: 0, later: 0}

export default definePlugin({
  setup(plugin) {
    const route = (path: string, handle: any, more: object = {}) =>
      plugin.route({method: "GET", path, scope: "demo", summary: path, handle, ...more})
    route("/seen", (_: Request, call: any) => call.json(Type.Object({}), seen))
    route("/private", (_: Request, call: any) =>
      call.json(
        Type.Object({
          id: Type.String(),
          text: Type.String({private: true}),
          items: Type.Array(Type.Object({name: Type.String({private: true}), n: Type.Number()})),
        }),
        {id: "1", text: "hidden", items: [{name: "hidden", n: 1}]},
      ))
    route("/throws", () => {
      throw new Error("hunter22 in a message")
    })
    route("/problem", () => {
      throw new Problem("conflict", "the state does not allow this")
    })
    route("/later", async () => {
      seen.later++
      await new Promise(done => setTimeout(done, 1000))
      return new Response("x".repeat(100_000))
    })
    route("/never", () => new Promise(() => {}))
    route("/params", (_: Request, call: any) => new Response(JSON.stringify(call.params)))
    route("/params/:one/of/:two", (_: Request, call: any) => new Response(JSON.stringify(call.params)))
    route("/params/:one/of/all", () => new Response('{"fixed":"all"}'))
    route("/params/new/of/:two_2", (_: Request, call: any) => new Response(JSON.stringify(call.params)))
    route("/count/:n", (_: Request, call: any) => new Response("x".repeat(Number(call.params.n))))
    route("/query", (_: Request, call: any) => call.json(Type.Object({}), call.query), {
      query: Type.Object({n: Type.Integer({minimum: 1}), on: Type.Optional(Type.Boolean())}),
    })
    route("/stream", (request: Request) => {
      const encoder = new TextEncoder()
      request.signal.addEventListener("abort", () => seen.aborted++)
      let n = 0
      let timer: ReturnType<typeof setInterval>
      return new Response(
        new ReadableStream({
          start: controller => {
            timer = setInterval(() => controller.enqueue(encoder.encode("data: " + n++ + "\\n\\n")), 20)
          },
          cancel: () => {
            clearInterval(timer)
            seen.cancelled++
          },
        }),
        {headers: {"content-type": "text/event-stream"}},
      )
    }, {stream: true})
    plugin.route({
      method: "POST", path: "/echo", scope: "full", summary: "echo",
      body: Type.Object({text: Type.String()}, {additionalProperties: false}),
      handle: async (_, call) => call.json(Type.Object({}), call.body),
    })
    plugin.route({
      method: "POST", path: "/raw", scope: "full", summary: "the bytes of a body",
      handle: async request => new Response(await request.arrayBuffer()),
    })
  },
})
`
