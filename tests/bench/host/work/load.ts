/**
 * The load generator, in a separate process (on Bun). Keeps connections busy for some seconds, with one request at a
 * time on each, then prints the number of answers. Arguments: port, path, token or empty, seconds. Every answer must be
 * a 200 with a Content-Length.
 */
const [port, path = "/", token = "", seconds = "1"] = process.argv.slice(2)

/** Enough to keep the server busy all the time: a server that waits for work pays a system call for each request. */
const connections = 128

const request = Buffer.from(
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${token === "" ? "" : `Authorization: Bearer ${token}\r\n`}\r\n`,
)

const fail = (message: string) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const ok = Buffer.from("HTTP/1.1 200 ")

const sizeOf = (chunk: Buffer): number => {
  const end = chunk.indexOf("\r\n\r\n")
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(chunk.toString("latin1", 0, end + 2))?.[1]
  if (end < 0 || length === undefined || ok.compare(chunk, 0, ok.length) !== 0) {
    fail(`unexpected answer: ${chunk.toString("latin1", 0, 300)}`)
  }
  return end + 4 + Number(length)
}

let answered = 0
let stopped = false

const open = () => {
  let missing = 0
  return Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: {
      open: socket => {
        socket.write(request)
      },
      data: (socket, chunk) => {
        missing = (missing === 0 ? sizeOf(chunk) : missing) - chunk.length
        if (missing > 0) return
        answered++
        if (!stopped) socket.write(request)
      },
      error: (_, error) => fail(error.message),
      close: () => fail("the server closed a connection"),
    },
  })
}

await Promise.all(Array.from({length: connections}, open))
await Bun.sleep(Number(seconds) * 1000)
stopped = true
// Requests in progress are answered before the count.
await Bun.sleep(50)
process.stdout.write(`${JSON.stringify({answered})}\n`)
process.exit(0)

export {}
