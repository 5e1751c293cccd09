/**
 * Makes a Host run a command, and until it ends requests its health and stores messages, each every few milliseconds.
 * Prints the time of each request. Runs as a separate process. Arguments: port, token, the command as JSON.
 */
const [port, token, command = "[]"] = process.argv.slice(2)
const pause = 5

const send = async (path: string, init: RequestInit = {}) => {
  const headers = {authorization: `Bearer ${token}`, "content-type": "application/json"}
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {...init, headers})
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
}

const post = (path: string, body: unknown) => send(path, {method: "POST", body: JSON.stringify(body)})

let ended = false

const repeat = async (ask: () => Promise<void>): Promise<number[]> => {
  const times: number[] = []
  while (!ended) {
    const begun = performance.now()
    await ask()
    times.push(performance.now() - begun)
    await Bun.sleep(pause)
  }
  return times
}

const begun = performance.now()
const running = post("/api/plugins/runner/run", {command: JSON.parse(command)}).finally(() => {
  ended = true
})
const [health, write] = await Promise.all([
  repeat(() => send("/pub/health")),
  repeat(() => post("/api/plugins/sandbox/messages", {text: "a message of a busy channel", group: true})),
  running,
])
const seconds = (performance.now() - begun) / 1000
process.stdout.write(`${JSON.stringify({seconds, health, write})}\n`)

export {}
