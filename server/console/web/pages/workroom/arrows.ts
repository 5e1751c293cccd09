const steps: Readonly<Record<string, readonly [columns: number, items: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Moves the focus with the arrow keys: within a column, and to the next column that has items. */
export const moveOnBoard = (event: KeyboardEvent, board: HTMLElement): void => {
  const step = steps[event.key]
  if (step === undefined) return
  const columns = [...board.querySelectorAll("[data-column]")]
    .map(column => [...column.querySelectorAll<HTMLElement>("[data-item]")])
    .filter(column => column.length > 0)
  const isFocused = (element: HTMLElement) => element === document.activeElement
  const x = columns.findIndex(column => column.some(isFocused))
  const y = columns[x]?.findIndex(isFocused) ?? 0
  const column = columns[x + step[0]]
  const next = column?.[Math.min(y + step[1], column.length - 1)]
  if (x === -1 || next === undefined) return
  event.preventDefault()
  next.focus()
}
