import {Optional, orNull, Time, type TSchema, Type} from "../type.ts"

/** A page as clients receive it. */
export interface Page<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
}

/** A page of `JobView` is a `JobPage`. */
export const page = <T extends TSchema>(item: T) => {
  const {title} = item as {title?: string}
  return Type.Object(
    {items: Type.Array(item), next: orNull(Type.String(), {description: "The next page's cursor; null on the last"})},
    title === undefined ? {} : {title: `${title.replace(/View$/, "")}Page`},
  )
}

/** A page of a search, which may look at a part of the rows only. */
export interface SearchedPage<T> extends Page<T> {
  /** The time of the oldest row that the search has looked at. */
  readonly lookedTo: string | null
}

export const searchedPage = <T extends TSchema>(item: T) => {
  const {properties, title} = page(item) as ReturnType<typeof page<T>> & {title?: string}
  const lookedTo = orNull(Time("The time of the oldest row that this search has looked at"))
  return Type.Object({...properties, lookedTo}, title === undefined ? {} : {title})
}

export const PageQuery = Type.Object({
  limit: Optional.Integer({minimum: 1, maximum: 500, default: 50, description: "Items per page"}),
  cursor: Optional.String({pattern: "^[0-9]+$", description: "`next` of the previous page"}),
})
