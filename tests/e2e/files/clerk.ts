import {pluginWith} from "../../support/plugins/plugin-sources.ts"

/** Source of a plugin that sends files in every way that a plugin can. */
export const clerk = pluginWith(`
    const q1 = () => file("reports/q1.pdf")
    const noteOf = (text: string) => h("file", {src: new TextEncoder().encode(text), title: "note.txt"})
    const trying = async (work: () => unknown) => {
      try { await work() } catch (error: any) { return error.code + ": " + error.message }
    }
    plugin.command("send <path:string>", ({args}) => h("file", {src: file(args.path)}))
    plugin.command("bytes <text:string>", ({args}) => noteOf(args.text))
    plugin.command("order", async ({session}) => {
      void session.send("first")
      void session.send(q1())
      void session.send(markdown("**second**\\n- third"))
      return "last"
    })
    plugin.command("replace", async ({session}) => {
      const id = await session.send(noteOf("before"))
      await session.edit(id, noteOf("after!"))
    })
    plugin.command("try <path:text>", ({args, session}) => trying(() => session.send(h("file", {src: file(args.path)}))))
    plugin.command("try-to <endpoint:string>", ({args, session}) =>
      trying(() => session.send({endpoint: args.endpoint, channel: "x"}, q1())))
    plugin.command("to <endpoint:string> <text:string>", async ({args, session}) =>
      void (await session.send({endpoint: args.endpoint, channel: "x"}, noteOf(args.text))))
    plugin.command("parsed", () => h("file", {src: "reports/q1.pdf", title: "text"}))
    plugin.command("json", () => JSON.parse(JSON.stringify(h("file", {src: file("reports/q1.pdf"), title: "json"}))))
    plugin.command("fields", () => h("file", {src: Object.fromEntries(Object.entries(file("reports/q1.pdf"))) as any, title: "fields"}))
    plugin.command("large <megabytes:integer>", async ({args, session}) =>
      trying(() => session.send(h("file", {src: new Uint8Array(args.megabytes * 1024 ** 2).fill(args.megabytes), title: args.megabytes + ".bin"}))))
    const grown: Record<string, number> = {}
    let watch: any
    const weigh = (phase: string) => {
      clearInterval(watch)
      const before = process.memoryUsage().rss
      watch = setInterval(() => {
        grown[phase] = Math.max(grown[phase] ?? 0, (process.memoryUsage().rss - before) / 1024 ** 2)
      }, 1)
    }
    plugin.command("weigh", async ({session}) => {
      const {open} = await import("node:fs/promises")
      const path = plugin.project + "/weight.bin"
      const made = await open(path, "w")
      for (let n = 0; n < 20; n++) await made.write(new Uint8Array(1024 ** 2).fill(n))
      await made.close()
      weigh("stored")
      await session.sendNow(h("file", {src: file("weight.bin")}))
      weigh("read")
    })
    plugin.route({
      method: "GET", path: "/weight", scope: "full",
      summary: "By how many MiB the process grew while it stored and read a file",
      handle: () => {
        clearInterval(watch)
        return Response.json(grown)
      },
    })
    plugin.route({
      method: "POST", path: "/deliver", scope: "full", summary: "Deliver",
      body: Type.Object({channel: Type.String()}),
      handle: async (_, call) => {
        const {channel} = call.body
        return Response.json({id: await plugin.send({endpoint: "sandbox", channel}, q1())})
      },
    })`)
