import type {Log} from "../../../shared/log.ts"
import {mediaTypeOf} from "../../../shared/media-types.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Feature, Limits} from "../../../shared/sdk/adapter/sender.ts"
import {changeElements, type Element, isElement, type Node} from "../../../shared/sdk/content/elements.ts"
import {
  type FileSource,
  fetchedOf,
  fetchLimits,
  fileElements,
  fileSource,
  isFileSource,
  pathOf,
  storedSource,
} from "../../../shared/sdk/content/file-source.ts"
import {persist} from "../../database/persist.ts"
import {type OutboxDraft, requireName, shownBy, withShown} from "../draft.ts"
import {contentOfFile, type FileContent} from "./content.ts"
import {fetchFile, nameAtEnd} from "./fetched.ts"
import {piecesIn} from "./folder.ts"
import type {Lease} from "./lease.ts"
import type {PermittedFile} from "./permitted.ts"
import type {FileRow} from "./rows.ts"
import type {FileStore} from "./store.ts"

/** What drafts with files need of the Host; passed in by the composition root. */
export interface DraftFilesOptions {
  /** Returns what an endpoint's adapter declares; undefined for an unknown endpoint. */
  readonly endpoint: (name: string) => {readonly features: readonly Feature[]; readonly limits: Limits} | undefined
  /** Throws `file_path_refused`. */
  readonly permitted: (path: string) => Promise<PermittedFile>
  readonly store: Pick<FileStore, "put" | "take" | "lease">
  readonly log: Log
  /** Private hosts from which files may be fetched. */
  readonly privateHosts: () => readonly string[]
}

/** A file of an element, before it is stored. */
interface Named {
  readonly name: string
  /** Undefined if neither the plugin nor the name says it. */
  readonly type: string | undefined
  readonly source: {readonly content: FileContent} | {readonly address: string; readonly limit: number}
}

/** The destination of one draft's files. */
interface Place {
  readonly endpoint: string
  /** The largest file that the platform accepts, in bytes. */
  readonly largest: number | undefined
  readonly lease: Lease
  readonly signal: AbortSignal
}

interface Stored extends FileRow {
  readonly type: string | undefined
}

/** Stores the files of plugins' messages before the messages are stored. */
export class DraftFiles {
  readonly #options: DraftFilesOptions

  constructor(options: DraftFilesOptions) {
    this.#options = options
  }

  /** Keeps the files of drafts until their rows are stored. */
  lease(): Lease {
    return this.#options.store.lease()
  }

  /**
   * Returns the draft with durable files, each named by its hash. If the endpoint accepts no files, they are not read,
   * and only the name remains. Waits while they cannot be stored. `signal` ends a fetch and the wait. Throws `file_path_refused`, `file_too_large`, `files_full`,
   * `file_refused`, `file_unavailable`, and the signal's reason.
   */
  async store(draft: OutboxDraft, lease: Lease, signal: AbortSignal = never): Promise<OutboxDraft> {
    const {features = [], limits = {}} = this.#options.endpoint(draft.endpoint) ?? {}
    const isTaken = features.includes("files")
    const place = {endpoint: draft.endpoint, largest: limits.file, lease, signal}
    const show = async (element: Element): Promise<Element> => {
      if (!isFileSource(element[fileSource])) return element
      const named = await this.#read(element)
      const {type, children, attrs} = element
      if (!isTaken) return {type, attrs: {title: named.name, ...typeOf(named), ...sizeOf(named), ...attrs}, children}
      const stored = await persist(`the file ${named.name}`, this.#options.log, () => this.#store(named, place), signal)
      const known = {title: named.name, type: stored.type ?? mediaTypeOf(named.name), ...attrs}
      return {type, attrs: {...known, size: stored.size, src: storedSource(stored.sha256)}, children}
    }
    // One after the other: a message has few files, and each may be large.
    return withShown(draft, nodes => changeElements(nodes, show))
  }

  /** The plugin's media type has priority over the server's. */
  async #store({name, type, source}: Named, {endpoint, largest = Infinity, lease, signal}: Place): Promise<Stored> {
    if ("address" in source) {
      const limit = Math.min(source.limit, largest)
      const fetching = {limit, allowPrivate: this.#options.privateHosts(), signal}
      const take = (pieces: AsyncIterable<Uint8Array>) => this.#options.store.take(pieces, lease)
      const {stored, type: said} = await fetchFile(source.address, fetching, take)
      return {...stored, type: type ?? said}
    }
    const {size} = source.content
    if (size > largest)
      throw new Problem("file_too_large", `${name} has ${size} bytes; ${endpoint} accepts files of at most ${largest}`)
    return {...(await this.#options.store.put(source.content, lease)), type}
  }

  async #read({type: element, attrs, [fileSource]: source}: Element): Promise<Named> {
    if (!fileElements.includes(element))
      throw new Problem(
        "content_invalid",
        `content contains <${element}> with a file as src; only ${fileElements.join(", ")} can show a file`,
      )
    const found = await this.#contentOf(source)
    const type = attrs.type ?? found.type
    const name = String(attrs.title ?? found.name ?? element)
    requireName(name)
    return {name, type: type === undefined ? undefined : String(type), source: found.source}
  }

  async #contentOf(source: FileSource | undefined) {
    if (source instanceof Uint8Array) {
      // A copy, since the plugin may reuse its bytes.
      const bytes = source.slice()
      const content = {size: bytes.length, pieces: () => piecesIn(bytes)}
      return {source: {content}, name: undefined, type: undefined}
    }
    const address = fetchedOf(source)
    const path = pathOf(source)
    if (source === undefined || (path ?? address) === undefined)
      throw new Problem("content_invalid", "content contains a src that is not a file")
    const {type} = source
    if (address !== undefined) {
      const {limit = fetchLimits.usual} = source
      return {source: {address, limit}, name: source.name ?? nameAtEnd(address), type}
    }
    const {path: found, name, size} = await this.#options.permitted(path ?? "")
    return {source: {content: contentOfFile(found, size)}, name: source.name ?? name, type}
  }
}

/** For callers that wait until the end. */
const never = new AbortController().signal

const typeOf = ({name, type, source}: Named) =>
  type === undefined && "address" in source ? {} : {type: type ?? mediaTypeOf(name)}

const sizeOf = ({source}: Named) => ("address" in source ? {} : {size: source.content.size})

const hasSource = (node: Node): boolean =>
  isElement(node) && (isFileSource(node[fileSource]) || node.children.some(hasSource))

/** Does a draft show files that are not stored yet? */
export const hasFiles = (draft: OutboxDraft): boolean => shownBy(draft).some(hasSource)
