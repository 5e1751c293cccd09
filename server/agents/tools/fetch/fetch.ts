import type {Binding} from "../../../../shared/agents/binding.ts"
import {readType} from "../../../../shared/media-types.ts"
import {Problem} from "../../../../shared/problems.ts"
import {readStart} from "../../../../shared/sdk/adapter/answer.ts"
import {Closed, type Static, Type} from "../../../../shared/type.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../../runtime/flow/time-limit.ts"
import type {Source} from "../../../runtime/outgoing/bounded-stream.ts"
import type {Lookup} from "../../../runtime/outgoing/resolve.ts"
import type {AgentTool} from "../../runs/tool.ts"
import {cut} from "../../runs/tool-result.ts"
import {isListed} from "./hosts.ts"
import {textOfHtml} from "./html-text.ts"

/** The time limit for a page, in milliseconds. */
const patience = 15_000

/** The most bytes that are read of a page. */
const mostBytes = 256 * 1024

const Arguments = Closed({
  url: Type.String({minLength: 1, maxLength: 2000, description: "Starts with https:// or http://."}),
})
type Arguments = Static<typeof Arguments>

export interface FetchDeps {
  /** Hosts on private networks that are allowed: `files.allowPrivate`. */
  readonly privateHosts: () => readonly string[]
  /** In milliseconds; 15 seconds by default. */
  readonly patience?: number
  readonly lookup?: Lookup
}

/** Reads a page from a listed host. Rejects private networks and unlisted hosts at each connection and redirect. */
export const fetchTool = (deps: FetchDeps): AgentTool => ({
  name: "fetch",
  description: "Reads a web page or a text file by its address, as text.",
  scope: binding => `You may read from these hosts: ${hostsOf(binding).join(", ")}.`,
  parameters: Arguments,
  effect: "none",
  permission: "user",
  approval: false,
  timeout: patience + 5000,
  problem: binding =>
    hostsOf(binding).length > 0
      ? undefined
      : `no hosts are allowed: list them under agents.${binding.name}.tools.fetch.hosts`,
  refusal: (args, binding) => {
    const url = URL.parse((args as Arguments).url)
    return url === null || isListed(url, hostsOf(binding)) ? undefined : notListed(url, binding)
  },
  describe: args => `Read ${URL.parse((args as Arguments).url)?.href ?? "an address that is not a URL"}`,
  run: async ({args, binding, signal}) => ({value: await read((args as Arguments).url, binding, signal, deps)}),
})

const hostsOf = ({config}: Binding): readonly string[] => config.tools.fetch?.hosts ?? []

const notListed = ({host}: URL, binding: Binding): string =>
  `You may not read from ${host}. You may read from: ${hostsOf(binding).join(", ")}.`

/** Throws `file_refused`, `file_unavailable`, and the signal's reason. */
const read = async (address: string, binding: Binding, outer: AbortSignal, deps: FetchDeps): Promise<string> => {
  const requireAllowed = (url: URL) => {
    if (!isListed(url, hostsOf(binding))) throw new Problem("file_refused", notListed(url, binding))
  }
  const {privateHosts, lookup, patience: limit = patience} = deps
  const work = async (signal: AbortSignal) => {
    // Loaded on demand, because few agents read pages.
    const {openUrl} = await import("../../../runtime/outgoing/open-url.ts")
    const options = {signal, allowPrivate: privateHosts(), requireAllowed, patience: limit}
    const source = await openUrl(address, lookup === undefined ? options : {...options, lookup})
    return textOf(source, address)
  }
  try {
    return await withTimeLimit(limit, work, outer)
  } catch (cause) {
    if (!(cause instanceof TimeLimitExceeded) || outer.aborted) throw cause
    throw new Problem(
      "file_unavailable",
      `${URL.parse(address)?.host} was too slow: the answer did not end within ${limit / 1000} s`,
      {cause},
    )
  }
}

const textOf = async (source: Source, address: string): Promise<string> => {
  const type = readType(source.type)
  if (type === undefined || !isText(type)) {
    await source.body.cancel()
    throw new Problem(
      "file_refused",
      `${URL.parse(address)?.host} answered with ${type ?? "no content type"}; this tool reads only text`,
    )
  }
  const {bytes, isWhole} = await readStart(source.body, mostBytes).catch(cause => {
    throw new Problem("file_unavailable", `${URL.parse(address)?.host} broke off its answer`, {cause})
  })
  const text = decoderOf(source.type).decode(bytes, {stream: !isWhole})
  const shown = cut(type.includes("html") ? textOfHtml(text) : text)
  return isWhole ? shown : `${shown}\n[Cut: only the first ${mostBytes} bytes of the page were read.]`
}

const isText = (type: string): boolean =>
  type.startsWith("text/") || /^application\/(json|xml)$/.test(type) || /\+(json|xml)$/.test(type)

const decoderOf = (type = ""): TextDecoder => {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(type) ?? []
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
