import {Problem, type Session, type StateHandle, type User, UserError} from "svc-runtime"
import type {Index, Mine, Ticket} from "./settings.ts"

/** Returns false if the platform does not support the act, or the outbox no longer has the message. */
export const canDo = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    error => {
      if (error instanceof Problem && ["unsupported", "outbox_unknown"].includes(error.code)) return false
      throw error
    },
  )

export const nameOf = (user: User | undefined): string =>
  (user?.nick || user?.name || user?.id || "?").replace(/\s+/g, " ").slice(0, 80)

/** Returns the text without the space around it. Throws a `UserError` if it is empty or too long. */
export const checked = (session: Session, text: string, most: number): string => {
  if (text.trim() === "") throw new UserError(session.t("empty"))
  if (text.trim().length > most) throw new UserError(session.t("tooLong", {most}))
  return text.trim()
}

/** The open tickets: each in the state of its user, and an index of the users who have some. */
export const createDesk = (mine: StateHandle<Mine, "user">, index: StateHandle<Index, "plugin">) => ({
  /** The open tickets of the session's user. */
  mine: async (session: Session): Promise<readonly Ticket[]> => (await session.state(mine).get()).open,

  /** The number of all open tickets. */
  count: async (session: Session): Promise<number> => (await session.state(index).get()).open.length,

  add: async (session: Session, ticket: Ticket): Promise<void> => {
    const entry = {n: ticket.n, endpoint: session.endpoint, user: session.user?.id ?? ""}
    await session.state(mine).update(({open}) => ({open: [...open, ticket]}))
    await session.state(index).update(({open}) => ({open: [...open, entry]}))
  },

  replace: async (session: Session, ticket: Ticket): Promise<void> => {
    await session.state(mine).update(({open}) => ({open: open.map(each => (each.n === ticket.n ? ticket : each))}))
  },

  /** Deletes a ticket, and the state of a user who has no others. */
  remove: async (session: Session, n: number): Promise<void> => {
    const {open} = await session.state(mine).update(value => ({open: value.open.filter(each => each.n !== n)}))
    if (open.length === 0) await session.state(mine).delete()
    await session.state(index).update(value => ({open: value.open.filter(each => each.n !== n)}))
  },

  /** Returns a ticket of any user, for the team; undefined if it is not open. */
  of: async (endpoint: string, user: string, n: number): Promise<Ticket | undefined> =>
    (await mine.of({endpoint, user}).get()).open.find(each => each.n === n),

  /** Returns an open ticket by its number, and whose it is. */
  async find(n: number) {
    const place = (await index.of().get()).open.find(each => each.n === n)
    const ticket = place === undefined ? undefined : await this.of(place.endpoint, place.user, n)
    return place === undefined || ticket === undefined ? undefined : {...place, ticket}
  },

  /** The numbers of all open tickets. */
  numbers: async (): Promise<readonly number[]> => (await index.of().get()).open.map(({n}) => n),

  /** Returns the oldest tickets and their number, and drops the entries of users whom the operator has forgotten. */
  async list(session: Session, most: number): Promise<{tickets: readonly Ticket[]; count: number}> {
    const {open} = await session.state(index).get()
    const tickets: Ticket[] = []
    const gone = new Set<number>()
    for (const {n, endpoint, user} of open) {
      if (tickets.length === most) break
      const ticket = await this.of(endpoint, user, n)
      if (ticket === undefined) gone.add(n)
      else tickets.push(ticket)
    }
    if (gone.size > 0) await session.state(index).update(value => ({open: value.open.filter(({n}) => !gone.has(n))}))
    return {tickets, count: open.length - gone.size}
  },
})
