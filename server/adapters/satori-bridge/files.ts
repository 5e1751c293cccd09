import {randomUUID} from "node:crypto"
import {type Endpoint, isElement, type Node, readStart, refused, type StoredFile} from "../../../shared/sdk/sdk.ts"
import type {Context} from "./koishi.ts"

const scheme = "svc-file:"

/** The largest file of the platform that an adapter reads, in bytes; it reads whole files. */
const largest = 64 * 1024 * 1024

interface ReadFile {
  readonly data: ArrayBuffer
  readonly filename: string
  readonly type: string
  readonly mime: string
}

/** The Host's files, which an adapter reads by temporary addresses. */
export class LentFiles {
  readonly #files = new Map<string, StoredFile>()
  readonly #endpoint: Pick<Endpoint, "file">

  constructor(endpoint: Pick<Endpoint, "file">) {
    this.#endpoint = endpoint
  }

  /**
   * Serves the addresses in a context. `open` opens addresses of received files. In addition, adapters may read `data:`
   * and public addresses, but no path of this machine and no address of its network.
   */
  serve(context: Context, open: (link: string) => Promise<Response | undefined>): void {
    const read = async (address: string): Promise<ReadFile | undefined> => {
      const file = this.#files.get(address)
      if (file !== undefined) return readFile(file.stream(), file, file.size)
      if (/^data:/i.test(address)) return undefined
      if (/^https?:/i.test(address) && !(await context.http.isLocal(address))) return undefined
      const opened = await open(address)
      if (opened?.ok !== true) throw unreadable()
      return readFile(
        opened.body,
        {
          name: decodeURIComponent(address.split("/").at(-1) ?? "file"),
          type: opened.headers.get("content-type") ?? "application/octet-stream",
        },
        largest,
      )
    }
    context.on("http/file", read, true)
  }

  /** Runs `work` with content whose stored files have addresses. The addresses expire when it ends. */
  async during<T>(content: readonly Node[], work: (content: readonly Node[]) => Promise<T>): Promise<T> {
    const lent: string[] = []
    try {
      return await work(await this.#lend(content, lent))
    } finally {
      for (const address of lent) this.#files.delete(address)
    }
  }

  async #lend(content: readonly Node[], lent: string[]): Promise<readonly Node[]> {
    const made: Node[] = []
    for (const node of content) made.push(isElement(node) ? await this.#lendElement(node, lent) : node)
    return made
  }

  async #lendElement(element: Exclude<Node, string>, lent: string[]): Promise<Node> {
    const children = await this.#lend(element.children, lent)
    const file = await this.#endpoint.file(element)
    if (file === undefined) return {...element, children}
    const address = `${scheme}${randomUUID()}/${encodeURIComponent(file.name)}`
    this.#files.set(address, file)
    lent.push(address)
    return {...element, attrs: {...element.attrs, src: address}, children}
  }
}

const unreadable = () =>
  refused("the address leads to no file that the adapter may read", {
    reason: "file_unknown",
    remediation: "Send a stored file, or an http: or https: address.",
  })

const readFile = async (
  body: ReadableStream<Uint8Array> | null,
  {name, type}: {readonly name: string; readonly type: string},
  most: number,
): Promise<ReadFile> => {
  const {bytes, isWhole} = await readStart(body, most)
  if (!isWhole) throw unreadable()
  return {data: bytes.buffer, filename: name, type, mime: type}
}
