/** Where the browser lets a page write a file as it comes; not every browser does. */
type Picker = (options: {suggestedName: string}) => Promise<{
  createWritable(): Promise<WritableStream<Uint8Array>>
}>

/** Saves what an answer brings: as it comes where the browser can, else once all of it is there. */
export const saveAnswer = async (name: string, open: () => Promise<Response>): Promise<void> => {
  const picker = (window as {showSaveFilePicker?: Picker}).showSaveFilePicker
  // Asked for first: a browser opens the question only soon after a click.
  const file = picker === undefined ? undefined : await picker.call(window, {suggestedName: name})
  const answer = await open()
  if (file !== undefined && answer.body !== null) return answer.body.pipeTo(await file.createWritable())
  saveBlob(name, await answer.blob())
}

export const saveBlob = (name: string, blob: Blob): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
