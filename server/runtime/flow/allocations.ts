import type {HeapProfiler, Session} from "node:inspector/promises"

/** The bytes of the heap between two samples. Sampling then costs nothing that a benchmark shows. */
const samplingInterval = 512 * 1024

/** Samples what code has allocated memory that is still in use. Only V8 can tell. */
export class Allocations {
  #session: Session | undefined

  /**
   * Resolves to the bytes still in use that were allocated since the first call, by owner: `ownerOf` returns the owner of
   * a script's address, and code called by an owner counts as its own. Undefined if nobody can tell: on Bun, and at
   * the first call. Collects garbage, which pauses the process.
   */
  async held(
    ownerOf: (script: string) => string | undefined,
  ): Promise<ReadonlyMap<string | undefined, number> | undefined> {
    if (process.versions.bun !== undefined) return undefined
    if (this.#session === undefined) {
      const {Session} = await import("node:inspector/promises")
      this.#session = new Session()
      this.#session.connect()
      await this.#session.post("HeapProfiler.startSampling", {samplingInterval})
      return undefined
    }
    const {profile} = await this.#session.post("HeapProfiler.getSamplingProfile")
    const held = new Map<string | undefined, number>()
    const add = ({callFrame, selfSize, children}: HeapProfiler.SamplingHeapProfileNode, caller: string | undefined) => {
      const owner = ownerOf(callFrame.url) ?? caller
      held.set(owner, (held.get(owner) ?? 0) + selfSize)
      for (const child of children) add(child, owner)
    }
    add(profile.head, undefined)
    return held
  }
}
