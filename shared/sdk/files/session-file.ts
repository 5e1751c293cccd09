import {type Element, h} from "../elements.ts"

export interface ReadOptions {
  /** The most bytes, up to 1 GiB; 32 MiB when left out. */
  readonly limit?: number
}

/** A file of the message that is handled. */
export interface SessionFile {
  /** Never empty, without control characters and path separators. Two files of a message may have the same. */
  readonly name: string
  /** The MIME type, as the sender's platform, the address or the name tells it: nobody has looked into the file. */
  readonly type?: string
  /** In bytes, as the platform tells it. */
  readonly size?: number
  /** Where it is, as the platform tells it. */
  readonly src?: string
  readonly element: Element
  /**
   * Opens the file now, through the endpoint's adapter where that has `download`, else by the Host; nothing of it is kept. The
   * handler's end cancels the stream. Throws `file_refused`, `file_too_large`, `file_unavailable`, `endpoint_offline`,
   * `platform_failed`; the stream fails with these, or with `late`.
   */
  read(options?: ReadOptions): Promise<ReadableStream<Uint8Array>>
}

const kinds: readonly string[] = ["audio", "video"]

/** The element of a file that comes in: `img`, `audio` or `video` by its MIME type, else `file`. `size` is in bytes. */
export const fileElement = ({
  src,
  name,
  type,
  size,
}: {
  readonly src: string
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly size?: number | undefined
}): Element => {
  const [kind = ""] = (type ?? "").toLowerCase().split("/")
  return h(kind === "image" ? "img" : kinds.includes(kind) ? kind : "file", {src, title: name, type, size})
}
