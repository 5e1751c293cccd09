import {until} from "../host/process.ts"

/** Node and Bun accept headers as an option that the browser's type does not have. */
const Client = WebSocket as unknown as new (url: string, options: {headers: object}) => WebSocket

export const socketWith = (url: string, headers: Readonly<Record<string, string>> = {}): WebSocket =>
  new Client(url, {headers})

/** Opens a WebSocket. Its messages are collected, or heard one by one; bytes are ArrayBuffers. */
export const openSocket = async (
  url: string,
  headers?: Readonly<Record<string, string>>,
  hear?: (message: string) => unknown,
) => {
  const socket = socketWith(url, headers)
  socket.binaryType = "arraybuffer"
  const messages: (string | ArrayBuffer)[] = []
  let closed: number | undefined
  socket.addEventListener("message", ({data}) => (hear === undefined ? messages.push(data) : hear(data)))
  socket.addEventListener("close", ({code}) => {
    closed = code
  })
  await until("the socket to open", () => {
    if (closed !== undefined) throw new Error(`closed with ${closed}`)
    return socket.readyState === WebSocket.OPEN
  })
  const closeCode = (patience?: number) => until("the socket to be closed", () => closed, patience)
  return {socket, messages, closeCode}
}
