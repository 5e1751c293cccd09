import {expect, test} from "vitest"
import {pluginWith, reload, runtimes, startHost, until} from "../../support/host/host.ts"

/** Its work fails if its instance or its endpoint ends before it. */
const slowPlugin = (edition: number) =>
  pluginWith(`// edition ${edition}
    const steps = async (what: string, signal: AbortSignal) => {
      note("begin " + what)
      while (!existsSync(join(plugin.project, "go"))) await sleep(5)
      await sleep(200)
      signal.throwIfAborted()
    }
    const slow = (what: string) =>
      new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode("begin "))
            await steps(what, plugin.signal)
            controller.enqueue(new TextEncoder().encode("end"))
            controller.close()
          },
        }),
      )
    plugin.page("/slow", () => slow("page"))
    plugin.route({method: "GET", path: "/slow", scope: "read", handle: () => slow("route")})
    plugin.adapter("wire", {
      history: "none",
      open: async (_, endpoint) => ({
        send: async message => {
          await steps("send", endpoint.signal)
          return {ids: [message.id]}
        },
      }),
    })`)

test.each(runtimes)("a reload waits for answers that are read and for sends, on $name", async runtime => {
  const host = await startHost({
    runtime,
    config: "http: {port: 0}\nplugins:\n  slow: {pages: [/slow]}\n",
    plugins: {slow: slowPlugin(0)},
    args: ["--no-watch"],
  })
  const answers = ["/pages/slow/slow", "/api/plugins/slow/slow"].map(path => host.fetch(path).then(one => one.text()))
  const {id} = await host.post("/api/outbox", {body: {endpoint: "wire", channel: "c", text: "hello"}})
  await until("all to begin", () => host.project.read("notes.log").split("\n").length === 4)
  host.project.write("plugins/slow.ts", slowPlugin(1))
  expect(await reload(host)).toEqual({committed: true, generation: 2})
  host.project.write("go", "")
  expect(await Promise.all(answers)).toEqual(["begin end", "begin end"])
  const sent = await until("the send to end", async () => {
    const {items} = await host.get("/api/outbox")
    const [message] = items.filter(item => item.id === id)
    return message?.state !== "sending" && message
  })
  expect(sent).toMatchObject({state: "sent"})
})
