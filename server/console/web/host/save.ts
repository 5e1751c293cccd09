/** The file picker with which a page can stream to a file; not every browser has it. */
type Picker = (options: {suggestedName: string}) => Promise<{
  createWritable(): Promise<WritableStream<Uint8Array>>
}>

/** Saves a response: as a stream if the browser can, otherwise once all of it has arrived. */
export const saveAnswer = async (name: string, open: () => Promise<Response>): Promise<void> => {
  const picker = (window as {showSaveFilePicker?: Picker}).showSaveFilePicker
  // Opens the picker first: a browser allows it only soon after a click.
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
