/* A call that is like one before: the same kinds of arrays, in which only the addresses differ.

   A form is what Python has checked of a call and worked out for it: of each array its type, shape and layout, the sizes, what to make.
   Arrays that have this form are passed on without more ado; everything else is left to Python, errors too. What the kernel's own C checks
   (addresses, overlap, values, what was packed, threads) it checks at every call.

   Neither Python's nor NumPy's headers are needed: functions are those of Python's stable ABI and two of NumPy's C API, and the fields of an
   array are read where NumPy's ABI has them; known_calls.py makes sure that they are there. All but the kernel runs under Python's lock,
   so that forms need none of their own. It stands behind idle_memory.c. */

typedef struct Object Object;
typedef intptr_t Size;
typedef Object *(*Function)(Object *, Object *const *, Size);
typedef struct {
    const char *name;
    Function call;
    int flags;
    const char *doc;
} Method;

extern Object _Py_NotImplementedStruct, _Py_TrueStruct, _Py_FalseStruct, PyLong_Type;
void Py_IncRef(Object *);
void Py_DecRef(Object *);
Object *PyErr_NoMemory(void);
Object *PyErr_Occurred(void);
void PyErr_Clear(void);
Size PyTuple_Size(Object *);
Object *PyTuple_GetItem(Object *, Size);
Object *PyDict_New(void);
Size PyDict_Size(Object *);
Object *PyDict_GetItemWithError(Object *, Object *);
int PyDict_SetItem(Object *, Object *, Object *);
long long PyLong_AsLongLong(Object *);
Object *PyLong_FromLongLong(long long);
char *PyBytes_AsString(Object *);
Size PyBytes_Size(Object *);
Object *PyCapsule_New(void *, const char *, void (*)(Object *));
void *PyCapsule_GetPointer(Object *, const char *);
Object *PyCFunction_NewEx(Method *, Object *, Object *);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);

/* A type of elements, and an array, as NumPy's ABI has them. */
typedef struct {
    Size references;
    Object *type, *scalar;
    char kind, letter, order, flags;
    int number;
} Dtype;
typedef struct {
    Size references;
    Object *type;
    char *data;
    int rank;
    const Size *shape, *strides;
    Object *base;
    const Dtype *dtype;
    int flags;
} Array;
enum { CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 };
enum { NEW_FROM_DESCR = 94, SET_BASE_OBJECT = 282 }; /* their places in NumPy's table of functions */
typedef Object *(*NewFromDescr)(Object *, Object *, int, const Size *, const Size *, void *, int, Object *);
typedef int (*SetBaseObject)(Object *, Object *);

static const char OWNER[] = "isamap.memory", FORMS[] = "isamap.forms";

/* An array's memory comes back when nothing refers to it any more: no array, no view, no buffer. */
static void owner_gone(Object *owner) { give(PyCapsule_GetPointer(owner, OWNER)); }

/* --- Forms --- */

enum { INPUT, RESULT, TEMPORARY, CONSTANT };
enum { MADE, ADDED, BEGUN }; /* results: by the call; the caller's, added to; the caller's, begun anew */

typedef struct {
    int role, place; /* which input, or which result */
    int rank, width; /* width: bytes of `first`, 0 where nothing is filled */
    Size *shape;
    const Dtype *dtype;
    size_t bytes;
    const char *first; /* what it is filled with before the call */
    const void *address; /* of a constant, NULL where it is packed and no call reads it */
} Tensor;

typedef int (*Run)(const void *const *, const int64_t *, void *const *, int64_t);
typedef int (*Pack)(const void *const *, const int64_t *, void *const *);

typedef struct Form {
    struct Form *next;
    Object *held; /* the description: it keeps all that is pointed to */
    int kind;     /* of its results */
    int checks;   /* whether the kernel's checks come first, as something is written before it runs */
    int64_t how;  /* the bits with which all its calls are made */
    int tensors, sizes, buffers, packs;
    int64_t *size;
    Tensor *tensor;
    size_t *buffer_bytes;
    void **buffer;
} Form;

typedef struct {
    Form *first, *last;
    Object *held, *array_type, *inputs, *results, *out, *threads, *check_finite, *check_ranges, *accumulate;
    int input_count, result_count;
    int64_t trust_finite, trust_ranges, trusted;
    Run run, check;
    Pack pack;
    NewFromDescr new_array;
    SetBaseObject set_base;
} Forms;

enum { MOST = 64 }; /* tensors and buffers of a kernel; one with more is left to Python */

/* Types are equal, too, that are two objects: those of arrays that were pickled. */
static int same_type(const Dtype *a, const Dtype *b) {
    return a == b || (a->number == b->number && a->order == b->order);
}

static int has_form(const Forms *forms, const Form *f, Object *const *inputs, Object *out) {
    for (int n = 0; n < f->tensors; ++n) {
        const Tensor *t = f->tensor + n;
        if (t->role != INPUT && (t->role != RESULT || f->kind == MADE)) continue;
        const Array *a = (const Array *)(t->role == INPUT ? inputs[t->place] : out);
        const int flags = CONTIGUOUS | (t->role == RESULT ? WRITEABLE : 0);
        if (a->type != forms->array_type || a->rank != t->rank || (a->flags & flags) != flags || !same_type(a->dtype, t->dtype)) return 0;
        for (int d = 0; d < t->rank; ++d)
            if (a->shape[d] != t->shape[d]) return 0;
    }
    return 1;
}

static void begin(char *data, const Tensor *t) {
    static const char zeros[16];
    if (t->width <= 16 && !memcmp(t->first, zeros, (size_t)t->width)) {
        memset(data, 0, t->bytes);
        return;
    }
    enum { PIECE = 4096 }; /* a multiple of every width, which the first-level cache keeps */
    memcpy(data, t->first, t->bytes ? (size_t)t->width : 0);
    for (size_t done = (size_t)t->width, piece; done < t->bytes; done += piece) {
        piece = done < PIECE ? done : PIECE;
        if (piece > t->bytes - done) piece = t->bytes - done;
        memcpy(data + done, data, piece);
    }
}

static Object *array_over(const Forms *forms, const Tensor *t, Block *b) {
    Object *owner = PyCapsule_New(b, OWNER, owner_gone);
    if (!owner) {
        give(b);
        return NULL;
    }
    Object *dtype = (Object *)t->dtype;
    Py_IncRef(dtype);
    Object *made =
        forms->new_array(forms->array_type, dtype, t->rank, t->shape, NULL, b->data, CONTIGUOUS | ALIGNED | WRITEABLE, NULL);
    if (!made) {
        Py_DecRef(owner);
        return NULL;
    }
    if (forms->set_base(made, owner) < 0) { /* which has taken the owner, in any case */
        Py_DecRef(made);
        return NULL;
    }
    return made;
}

/* The result, from blocks by number of the result, which are its own afterwards. */
static Object *results(const Forms *forms, const Form *f, Block **made) {
    Object *all = forms->result_count == 1 ? NULL : PyDict_New();
    int failed = forms->result_count != 1 && !all;
    for (int n = 0; n < f->tensors; ++n) {
        const Tensor *t = f->tensor + n;
        if (t->role != RESULT) continue;
        if (failed) {
            give(made[n]);
            continue;
        }
        Object *array = array_over(forms, t, made[n]);
        if (!array) failed = 1;
        else if (!all) return array;
        else {
            failed = PyDict_SetItem(all, PyTuple_GetItem(forms->results, t->place), array) < 0;
            Py_DecRef(array);
        }
    }
    if (failed && all) Py_DecRef(all);
    return failed ? NULL : all;
}

static int compute(
    const Forms *forms, const Form *f, const void *const *tensors, void *const *packed, Block **blocks, int64_t how, int64_t threads
) {
    int64_t sizes[MOST + 1];
    memcpy(sizes, f->size, (size_t)f->sizes * sizeof *sizes);
    sizes[f->sizes] = how;
    for (int n = 0; n < f->tensors; ++n)
        if (blocks[n] && f->tensor[n].width) begin(blocks[n]->data, f->tensor + n);
    if (f->checks) {
        int code = forms->check(tensors, sizes, f->packs ? NULL : packed, threads);
        if (code) return code;
        sizes[f->sizes] = how | forms->trusted; /* its elements have been looked at */
    }
    for (int n = 0; n < f->tensors; ++n)
        if (!blocks[n] && f->tensor[n].width) begin((char *)tensors[n], f->tensor + n);
    poison_heap(1);
    int code = f->packs ? forms->pack(tensors, sizes, packed) : 0;
    if (!code) code = forms->run(tensors, sizes, f->buffers ? packed : NULL, threads);
    poison_heap(0);
    return code;
}

static Object *carry_out(const Forms *forms, const Form *f, Object *const *inputs, Object *out, int64_t trust, int64_t threads) {
    const void *tensors[MOST];
    void *packed[MOST];
    Block *blocks[2 * MOST] = {0};
    int lacking = 0;
    for (int n = 0; n < f->tensors; ++n) {
        const Tensor *t = f->tensor + n;
        if (t->role == CONSTANT) tensors[n] = t->address;
        else if (t->role == INPUT || (t->role == RESULT && f->kind != MADE))
            tensors[n] = ((const Array *)(t->role == INPUT ? inputs[t->place] : out))->data;
        else {
            blocks[n] = take(t->bytes);
            tensors[n] = blocks[n] ? blocks[n]->data : NULL;
            lacking |= !blocks[n];
        }
    }
    for (int n = 0; n < f->buffers; ++n) {
        packed[n] = f->buffer[n];
        if (packed[n]) continue;
        blocks[f->tensors + n] = take(f->buffer_bytes[n]);
        packed[n] = blocks[f->tensors + n] ? blocks[f->tensors + n]->data : NULL;
        lacking |= !packed[n];
    }
    int code = 0;
    if (!lacking) {
        void *thread = PyEval_SaveThread();
        code = compute(forms, f, tensors, packed, blocks, trust | f->how, threads);
        PyEval_RestoreThread(thread);
    }
    const int good = !lacking && !code;
    for (int n = 0; n < f->tensors + f->buffers; ++n)
        if (blocks[n] && !(good && n < f->tensors && f->tensor[n].role == RESULT)) give(blocks[n]);
    if (lacking || code >= 1000 || code == -2) { /* a check: nothing was written, and Python says what is the matter */
        Py_IncRef(&_Py_NotImplementedStruct);
        return &_Py_NotImplementedStruct;
    }
    if (code) return PyLong_FromLongLong(code);
    if (f->kind == MADE) return results(forms, f, blocks);
    Py_IncRef(out);
    return out;
}

static Object *option(Object *options, Object *name, Size *used) {
    Object *found = PyDict_GetItemWithError(options, name);
    *used += found != NULL;
    return found;
}

/* The bit where the option is False, 0 where it is True or not given, -1 otherwise. */
static int64_t trusted(Object *value, int64_t bit) {
    if (!value || value == &_Py_TrueStruct) return 0;
    return value == &_Py_FalseStruct ? bit : -1;
}

/* (inputs by position, options) -> the result; NotImplemented where Python has to look at the call; a number: what the kernel returned
   when it had begun. */
static Object *call(Object *self, Object *const *arguments, Size count) {
    const Forms *forms = PyCapsule_GetPointer(self, FORMS);
    Object *given[MOST], *out = NULL;
    int64_t threads = 1, trust = 0, begun = 0;
    if (!forms || count != 2) goto unknown;
    const Size positional = PyTuple_Size(arguments[0]), named = PyDict_Size(arguments[1]);
    Size used = 0;
    if (positional < 0 || named < 0 || positional > forms->input_count) goto unknown;
    for (Size n = 0; n < positional; ++n) given[n] = PyTuple_GetItem(arguments[0], n);
    if (named) {
        for (Size n = positional; n < forms->input_count; ++n) {
            given[n] = option(arguments[1], PyTuple_GetItem(forms->inputs, n), &used);
            if (!given[n]) goto unknown;
        }
        out = option(arguments[1], forms->out, &used);
        Object *number = option(arguments[1], forms->threads, &used);
        if (number) {
            if (((const Array *)number)->type != &PyLong_Type) goto unknown;
            threads = PyLong_AsLongLong(number);
            if (threads < 1) goto unknown;
        }
        const int64_t finite = trusted(option(arguments[1], forms->check_finite, &used), forms->trust_finite);
        const int64_t ranges = trusted(option(arguments[1], forms->check_ranges, &used), forms->trust_ranges);
        begun = trusted(option(arguments[1], forms->accumulate, &used), 1);
        if (finite < 0 || ranges < 0 || begun < 0 || used != named) goto unknown;
        trust = finite | ranges;
    } else if (positional < forms->input_count)
        goto unknown;
    const int kind = !out ? MADE : begun ? BEGUN : ADDED;
    for (const Form *f = forms->first; f; f = f->next)
        if (f->kind == kind && has_form(forms, f, given, out)) return carry_out(forms, f, given, out, trust, threads);
unknown:
    if (PyErr_Occurred()) PyErr_Clear();
    Py_IncRef(&_Py_NotImplementedStruct);
    return &_Py_NotImplementedStruct;
}

/* --- Descriptions, made by Python: tuples of numbers and of what they need kept --- */

static int64_t number(Object *tuple, Size n) { return PyLong_AsLongLong(PyTuple_GetItem(tuple, n)); }

static void free_form(Form *f) {
    for (int n = 0; f->tensor && n < f->tensors; ++n) free(f->tensor[n].shape);
    free(f->tensor);
    free(f->size);
    free(f->buffer);
    free(f->buffer_bytes);
    Py_DecRef(f->held);
    free(f);
}

static void forms_gone(Object *capsule) {
    Forms *forms = PyCapsule_GetPointer(capsule, FORMS);
    for (Form *f = forms->first; f;) {
        Form *next = f->next;
        free_form(f);
        f = next;
    }
    Py_DecRef(forms->held);
    free(forms);
}

/* The function that carries out known calls, and what it knows: (function, forms). NULL with an error where memory runs out.
   about: (array type, names of the inputs, names of the results, out, threads, check_finite, check_ranges, accumulate, trust_finite,
   trust_ranges, trusted, run, check, pack, NumPy's table of functions). */
Object *isamap_forms(Object *about) {
    Forms *forms = calloc(1, sizeof *forms);
    if (!forms) return PyErr_NoMemory();
    Py_IncRef(about);
    Object **names[] = {
        &forms->array_type, &forms->inputs, &forms->results, &forms->out, &forms->threads, &forms->check_finite,
        &forms->check_ranges, &forms->accumulate
    };
    for (int n = 0; n < 8; ++n) *names[n] = PyTuple_GetItem(about, n);
    forms->held = about;
    forms->input_count = (int)PyTuple_Size(forms->inputs);
    forms->result_count = (int)PyTuple_Size(forms->results);
    forms->trust_finite = number(about, 8);
    forms->trust_ranges = number(about, 9);
    forms->trusted = number(about, 10);
    forms->run = (Run)(uintptr_t)number(about, 11);
    forms->check = (Run)(uintptr_t)number(about, 12);
    forms->pack = (Pack)(uintptr_t)number(about, 13);
    void **table = (void **)(uintptr_t)number(about, 14);
    forms->new_array = (NewFromDescr)table[NEW_FROM_DESCR];
    forms->set_base = (SetBaseObject)table[SET_BASE_OBJECT];
    Object *made = PyCapsule_New(forms, FORMS, forms_gone);
    if (!made) {
        Py_DecRef(about);
        free(forms);
    }
    return made;
}

/* The function of these forms. */
Object *isamap_function(Object *forms) {
    static Method method = {"known_call", call, 0x0080 /* METH_FASTCALL */, NULL};
    return PyCFunction_NewEx(&method, forms, NULL);
}

static int read_tensor(Tensor *t, Object *about) {
    Object *shape = PyTuple_GetItem(about, 2);
    *t = (Tensor){.role = (int)number(about, 0), .place = (int)number(about, 1), .rank = (int)PyTuple_Size(shape)};
    t->dtype = (const Dtype *)PyTuple_GetItem(about, 3);
    t->bytes = (size_t)number(about, 4);
    t->first = PyBytes_AsString(PyTuple_GetItem(about, 5));
    t->width = (int)PyBytes_Size(PyTuple_GetItem(about, 5));
    t->address = (const void *)(uintptr_t)number(about, 6);
    t->shape = malloc((size_t)(t->rank + 1) * sizeof *t->shape);
    for (int d = 0; t->shape && d < t->rank; ++d) t->shape[d] = (Size)number(shape, d);
    return t->shape != NULL;
}

/* Adds a form; false where there is no memory for it.
   about: (kind, sizes, buffers, whether they are filled at each call, tensors, what else is held, how, checks). A buffer is (bytes,
   address), a tensor (role, place, shape, dtype, bytes, first, address). */
int isamap_add(Object *capsule, Object *about) {
    Forms *forms = PyCapsule_GetPointer(capsule, FORMS);
    Form *f = calloc(1, sizeof *f);
    if (!f) return 0;
    Object *sizes = PyTuple_GetItem(about, 1), *buffers = PyTuple_GetItem(about, 2), *tensors = PyTuple_GetItem(about, 4);
    Py_IncRef(about);
    *f = (Form){
        .held = about, .kind = (int)number(about, 0), .packs = (int)number(about, 3), .how = number(about, 6),
        .checks = (int)number(about, 7), .sizes = (int)PyTuple_Size(sizes),
        .buffers = (int)PyTuple_Size(buffers), .tensors = (int)PyTuple_Size(tensors)
    };
    f->size = malloc(((size_t)f->sizes + 1) * sizeof *f->size);
    f->tensor = calloc((size_t)f->tensors + 1, sizeof *f->tensor);
    f->buffer = malloc(((size_t)f->buffers + 1) * sizeof *f->buffer);
    f->buffer_bytes = malloc(((size_t)f->buffers + 1) * sizeof *f->buffer_bytes);
    int good = f->size && f->tensor && f->buffer && f->buffer_bytes;
    for (int n = 0; good && n < f->sizes; ++n) f->size[n] = number(sizes, n);
    for (int n = 0; good && n < f->buffers; ++n) {
        f->buffer_bytes[n] = (size_t)number(PyTuple_GetItem(buffers, n), 0);
        f->buffer[n] = (void *)(uintptr_t)number(PyTuple_GetItem(buffers, n), 1);
    }
    for (int n = 0; good && n < f->tensors; ++n) good = read_tensor(f->tensor + n, PyTuple_GetItem(tensors, n));
    if (!good) {
        free_form(f);
        return 0;
    }
    *(forms->first ? &forms->last->next : &forms->first) = f;
    forms->last = f;
    return 1;
}
