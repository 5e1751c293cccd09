import {once} from "node:events"
import {createServer} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {lastAsLongAsProcess} from "../../../support/host/shared.ts"
import {startDiscord} from "../../../support/platforms/discord/discord.ts"

/**
 * The tests' fake of Discord in a separate process, so that it shares no event loop with the measured Host. Prints its
 * address and that of its controls: `POST /hang`, `/refuse`, `/calm`, and `/flood?count=<n>&text=<text>`, which edits
 * this many of its earlier messages, each in its own direct channel.
 */

lastAsLongAsProcess()
const fake = await startDiscord()

/** The number of edits per turn; then the sockets may write. */
const chunk = 250

const flood = async (count: number, text: string): Promise<void> => {
  const ids = Array.from({length: count}, (_, n) => {
    const user = String(10_000 + n)
    return fake.world.add({channel: user, author: fake.world.user(user), content: "before"}).id
  })
  for (const [n, id] of ids.entries()) {
    fake.edit(id, text)
    if (n % chunk === chunk - 1) await sleep(0)
  }
}

const deeds: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  "/hang": () => fake.hang(true),
  "/refuse": () => fake.refuseAll(3600),
  "/calm": () => {
    fake.hang(false)
    fake.refuseAll()
  },
  "/flood": query => flood(Number(query.get("count")), query.get("text") ?? ""),
}

const control = createServer(async (request, response) => {
  const {pathname, searchParams} = new URL(request.url ?? "/", "http://control")
  await deeds[pathname]?.(searchParams)
  response.end()
})
control.listen(0, "127.0.0.1")
await once(control, "listening")
const address = control.address()
const port = typeof address === "object" && address !== null ? address.port : 0
process.stdout.write(`${JSON.stringify({url: fake.url, control: `http://127.0.0.1:${port}`})}\n`)
