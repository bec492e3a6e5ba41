// What docs/react-native.md imports from React Native and packages for it.

/** The phone's disk. */
export const store = new Map();

export const SecureStore = {
    setItemAsync: async (key, value) => void store.set(key, value),
    getItemAsync: async key => store.get(key) ?? null,
    deleteItemAsync: async key => void store.delete(key),
};

export const AsyncStorage = {
    getItem: async key => store.get(key) ?? null,
    setItem: async (key, value) => void store.set(key, value),
    removeItem: async key => void store.delete(key),
};

class Events {
    listeners = new Set();

    add(listener) {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    tell(event) {
        for (const listener of this.listeners) listener(event);
    }
}

export const appEvents = new Events();
export const AppState = {
    addEventListener: (name, listener) => ({ remove: appEvents.add(name === 'change' ? listener : null) }),
};

export const networkEvents = new Events();
export const NetInfo = { addEventListener: listener => networkEvents.add(listener) };

// From rxjs.

export const skip = count => source => ({
    subscribe: listener => {
        let seen = 0;
        return source.subscribe(value => ++seen > count && listener(value));
    },
});

/** Like the real one, but without waiting. */
export const debounceTime = milliseconds => source => {
    if (!(milliseconds > 0)) throw new Error('debounceTime takes milliseconds');
    return source;
};
