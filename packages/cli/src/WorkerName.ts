/**
 * Names of workers for people. A worker is called by host, process and a random part, on the store of one machine also by boot
 * and more, so that nobody else ever has its name; whoever reads wants to know which process that is.
 */

const process =
  /\b(?:process|postgres)\/([^\s/`']+)\/(?:[^\s/`']*\/[^\s/`']*\/)?(\d+)\/(?:[^\s/`']*\/)?([0-9a-f]{4})[0-9a-f-]{32}/g

/**
 * A text with every such name shortened to `host pid 11985 (ec3f…)`; without the host where that is `here`.
 *
 * @category words
 * @since 0.1.0
 */
export const shortened = (text: string, here?: string): string =>
  text.replaceAll(
    process,
    (_, host: string, pid: string, id: string) => `${host === here ? "" : `${host} `}pid ${pid} (${id}…)`
  )
