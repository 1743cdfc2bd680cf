/** Keeps the last image that the user opened in this browser, so that it is there after a reload. It never leaves the browser. */
export interface KeptImage {
  load(): Promise<File | undefined>;
  /** Replaces what was kept; rejects where the browser does not allow it. */
  save(file: File): Promise<void>;
  erase(): Promise<void>;
}

const STORE = 'images';
const KEY = 'last';

/** The database of this browser. */
export const keptImage: KeptImage = {
  async load() {
    const found = await transaction('readonly', (store) => store.get(KEY)).catch(() => undefined);
    return found instanceof File ? found : undefined;
  },
  async save(file) {
    await transaction('readwrite', (store) => store.put(file, KEY));
  },
  async erase() {
    await transaction('readwrite', (store) => store.delete(KEY));
  },
};

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
