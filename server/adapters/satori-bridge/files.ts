import {randomUUID} from "node:crypto"
import {type Endpoint, isElement, type Node, refused, type StoredFile} from "../../../shared/sdk/sdk.ts"
import type {Context} from "./koishi.ts"

const scheme = "svc-file:"

interface ReadFile {
  readonly data: ArrayBuffer
  readonly filename: string
  readonly type: string
  readonly mime: string
}

/** Files of the Host in the hands of an adapter, which reads them by addresses. */
export class LentFiles {
  readonly #files = new Map<string, StoredFile>()
  readonly #endpoint: Pick<Endpoint, "file">
  readonly #type: string | undefined

  /** `type`: the element that shows a file, where it is not that of the message. */
  constructor(endpoint: Pick<Endpoint, "file">, type?: string) {
    this.#endpoint = endpoint
    this.#type = type
  }

  /**
   * Serves the addresses in a context; `open` serves those of files that came in. Beside these, adapters read `data:` and what is public:
   * neither a path of this machine nor an address of its network.
   */
  serve(context: Context, open: (link: string) => Promise<Response | undefined>): void {
    const read = async (address: string): Promise<ReadFile | undefined> => {
      const file = this.#files.get(address)
      if (file !== undefined) return readFile(file.stream(), file)
      if (/^data:/i.test(address)) return undefined
      if (/^https?:/i.test(address) && !(await context.http.isLocal(address))) return undefined
      const opened = await open(address)
      if (opened?.ok !== true) throw unreadable()
      return readFile(opened.body ?? [], {
        name: decodeURIComponent(address.split("/").at(-1) ?? "file"),
        type: opened.headers.get("content-type") ?? "application/octet-stream",
      })
    }
    context.on("http/file", read, true)
  }

  /** Content whose stored files have addresses, for as long as `work` takes. */
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
    return {type: this.#type ?? element.type, attrs: {...element.attrs, src: address}, children}
  }
}

const unreadable = () =>
  refused("the address leads to no file that the adapter may read", {
    reason: "file_unknown",
    remediation: "Send a stored file, or an http: or https: address.",
  })

const readFile = async (
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | ReadableStream<Uint8Array>,
  {name, type}: {readonly name: string; readonly type: string},
): Promise<ReadFile> => {
  const pieces: Uint8Array[] = []
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece)
  const data = new Uint8Array(Buffer.concat(pieces)).buffer
  return {data, filename: name, type, mime: type}
}
