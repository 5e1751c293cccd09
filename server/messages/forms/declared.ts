/** A declaration of a plugin, by the id that the marks of its handler carry. */
export interface Declared<D, H> {
  readonly id: string
  readonly definition: D
  readonly handle: H
}
