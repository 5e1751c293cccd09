/** Words that stand for several states when a list of messages is filtered by state. */

export const inboxGroups = {open: ["pending", "running"], aside: ["failed", "dead", "held"]} as const

export const outboxGroups = {open: ["queued", "sending"], aside: ["failed", "dead", "unknown", "held"]} as const

interface Counted {
  readonly count: number
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
}

/** Counts, or changes, the rows of one page that filters find; `cursor` is null for the newest. */
export type AskBulk<C extends Counted = Counted> = (cursor: string | null, dryRun: boolean) => Promise<C>

/** A page, newest row first, and its cursor. */
export interface BulkPage<C extends Counted = Counted> {
  readonly from: string | null
  readonly found: C
}

/** Finds the pages, newest first; at most `most`. */
export const findPages = async <C extends Counted>(
  ask: AskBulk<C>,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly BulkPage<C>[]> => {
  const pages: BulkPage<C>[] = []
  for (let from: string | null | undefined = null; from !== undefined && pages.length < most; ) {
    const found = await ask(from, true)
    pages.push({from, found})
    from = found.next ?? undefined
  }
  return pages
}

/** Changes the rows of these pages, oldest page first, so that a conversation keeps its order. Yields how many. */
export async function* changePages(ask: AskBulk, pages: readonly BulkPage[]): AsyncGenerator<number> {
  for (const {from, found} of pages.toReversed()) {
    let next: string | null = from
    do {
      const page = await ask(next, false)
      yield page.count
      next = page.next
    } while (next !== null && Number(next) > Number(found.next ?? 0))
  }
}
