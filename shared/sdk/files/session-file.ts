import {type Element, h} from "../content/elements.ts"
import {cleanName} from "./name.ts"

export interface ReadOptions {
  /** The most bytes, up to 1 GiB; 32 MiB when left out. */
  readonly limit?: number
}

/** A file of the message being handled. */
export interface SessionFile {
  /** Never empty, without control characters and path separators. Two files of a message may have the same name. */
  readonly name: string
  /** The MIME type, from the sender's platform, the address or the name. svc does not inspect the content. */
  readonly type?: string
  /** The size in bytes, as the platform reports it. */
  readonly size?: number
  /** The location, as the platform reports it. */
  readonly src?: string
  readonly element: Element
  /**
   * Opens the file now, through the endpoint's adapter if it has `download`, otherwise through the Host. svc keeps no
   * copy. The handler's end cancels the stream. Throws `file_refused`, `file_too_large`, `file_unavailable`,
   * `endpoint_offline`, `platform_failed`. The stream fails with the same codes, or with `late`.
   */
  read(options?: ReadOptions): Promise<ReadableStream<Uint8Array>>
}

const kinds: readonly string[] = ["audio", "video"]

/** Returns a received file's element: `img`, `audio` or `video` by its MIME type, else `file`. `size` is in bytes. */
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
  return h(kind === "image" ? "img" : kinds.includes(kind) ? kind : "file", {
    src,
    title: name && cleanName(name),
    type,
    size,
  })
}
