/** The pixels that were marked as missing, and of which picture. */
export interface KeptMask {
  /** The sample, or the title of a file of the user's own. */
  readonly image: string;
  readonly width: number;
  readonly height: number;
  readonly missing: Uint8Array<ArrayBuffer>;
}

/**
 * Keeps the last image that the user opened in this tab, and the mask painted on it, so that both are there after a reload. They
 * never leave the browser. A tab without an image of its own, such as one opened by a link, gets that of the last tab.
 */
export interface KeptImage {
  load(): Promise<File | undefined>;
  /** Replaces what was kept; rejects where the browser does not allow it. */
  save(file: File): Promise<void>;
  erase(): Promise<void>;
  loadMask(): Promise<KeptMask | undefined>;
  saveMask(mask: KeptMask): Promise<void>;
}

const STORE = 'images';
/** The tabs that keep something, the latest last. */
const TABS = 'tabs';
/** Where a tab remembers its name. */
const OWN_NAME = 'ght-studio-tab';
/** More tabs than these are forgotten, the oldest first. */
const MOST_TABS = 4;

const maskOf = (tab: string) => `${tab} mask`;

/** The database of this browser. */
export const keptImage: KeptImage = {
  async load() {
    const tabs = await tabsKept();
    const own = ownName();
    const tab = own && tabs.includes(own) ? own : tabs.at(-1);
    const found = tab === undefined ? undefined : await get(tab);
    return found instanceof File ? found : undefined;
  },
  async save(file) {
    // Another name with every image: a copy of this tab has its old name, and must not get this image.
    const tab = await newName();
    await transaction('readwrite', (store) => store.put(file, tab));
  },
  async erase() {
    const tab = ownName();
    if (tab === undefined) return;
    for (const key of [tab, maskOf(tab)]) await transaction('readwrite', (store) => store.delete(key));
    const others = (await tabsKept()).filter((each) => each !== tab);
    await transaction('readwrite', (store) => store.put(others, TABS));
  },
  async loadMask() {
    const tab = ownName();
    return tab === undefined ? undefined : ((await get(maskOf(tab))) as KeptMask | undefined);
  },
  async saveMask(mask) {
    const tab = ownName() ?? (await newName());
    await transaction('readwrite', (store) => store.put(mask, maskOf(tab)));
  },
};

function ownName(): string | undefined {
  return sessionStorage.getItem(OWN_NAME) ?? undefined;
}

/** Gives this tab a name, and forgets the oldest ones. */
async function newName(): Promise<string> {
  const own = ownName();
  const tab = crypto.randomUUID();
  const tabs = [...(await tabsKept()).filter((each) => each !== own), tab];
  const forgotten = [...tabs.splice(0, Math.max(0, tabs.length - MOST_TABS)), ...(own ? [own] : [])];
  for (const key of forgotten.flatMap((each) => [each, maskOf(each)])) {
    await transaction('readwrite', (store) => store.delete(key));
  }
  await transaction('readwrite', (store) => store.put(tabs, TABS));
  sessionStorage.setItem(OWN_NAME, tab);
  return tab;
}

async function tabsKept(): Promise<readonly string[]> {
  const tabs = await get(TABS);
  return Array.isArray(tabs) ? tabs : [];
}

/** What is stored under a key; nothing where the browser does not allow it. */
function get(key: string): Promise<unknown> {
  return transaction('readonly', (store) => store.get(key)).catch(() => undefined);
}

async function transaction<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const open = indexedDB.open('ght-studio', 1);
  open.onupgradeneeded = () => void open.result.createObjectStore(STORE);
  const database = await answerOf(open);
  try {
    return await answerOf(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
